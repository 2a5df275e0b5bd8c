import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Timeouts of connections")
struct TimeoutTests {
  @Test("an idle connection closes after the timeout, counted from its last read or write")  // E7
  func idle() throws {
    try withSteppedLoop { stepped in
      let (connection, peer) = try stepped.loop.pair()
      let events = Events(of: connection)
      connection.idleTimeout = .seconds(10)
      stepped.advance(by: .seconds(9))
      peer.send("x")
      stepped.step()
      #expect(events.list == ["read"])
      stepped.advance(by: .seconds(9))
      connection.write("y")
      stepped.step()
      stepped.advance(by: .seconds(9))
      stepped.step()
      #expect(connection.isOpen)
      stepped.advance(by: .seconds(1))
      stepped.step()
      #expect(events.list == ["read", "close ETIMEDOUT"])
    }
  }

  @Test(
    "a large write to a peer that receives slowly is not idle",  // E7
    arguments: [true, false]
  )
  func slowPeer(isShared: Bool) throws {
    try withSteppedLoop { stepped in
      let (connection, peer) = try stepped.loop.pair()
      connection.idleTimeout = .seconds(100)
      let bytes = [UInt8](repeating: 1, count: 16 << 20)
      if isShared { connection.write(SharedBytes(bytes)) } else { connection.write(bytes) }
      stepped.step()
      var received = 0
      // The socket takes about 200 KB in each round.
      for _ in 0..<40 {
        stepped.advance(by: .seconds(12))
        received += peer.receive()?.count ?? 0
        stepped.step()
      }
      #expect(connection.isOpen)
      #expect((1 << 20..<bytes.count).contains(received))
    }
  }

  @Test("removing the idle timeout keeps the connection, and closing it ends its timer")
  func noIdle() throws {
    try withSteppedLoop { stepped in
      let (connection, _) = try stepped.loop.pair()
      connection.idleTimeout = .seconds(1)
      connection.idleTimeout = nil
      stepped.advance(by: .seconds(100))
      #expect(connection.isOpen)
      connection.idleTimeout = .seconds(1)
      #expect(stepped.loop.timerCount == 1)
      connection.closeImmediately()
      #expect(stepped.loop.timerCount == 0)
    }
  }

  @Test("setting the idle timeout again restarts the time")
  func restart() throws {
    try withSteppedLoop { stepped in
      let (connection, peer) = try stepped.loop.pair()
      connection.idleTimeout = .seconds(10)
      stepped.advance(by: .seconds(9))
      connection.idleTimeout = .seconds(5)
      stepped.advance(by: .seconds(4))
      stepped.step()
      #expect(connection.isOpen && stepped.loop.timerCount == 1)
      stepped.advance(by: .seconds(1))
      stepped.step()
      #expect(!connection.isOpen)
      withExtendedLifetime(peer) {}
    }
  }

  @Test("a peer that receives nothing ends a connection with queued bytes after writeTimeout")
  func write() throws {
    try withSteppedLoop { stepped in
      let (connection, peer) = try stepped.loop.pair()
      let events = Events(of: connection)
      connection.writeTimeout = .seconds(5)
      connection.write([UInt8](repeating: 1, count: 4 << 20))
      stepped.step()
      // Some progress.
      #expect(peer.receive(200_000)?.isEmpty == false)
      stepped.step()
      stepped.advance(by: .seconds(5))
      stepped.step()
      #expect(connection.isOpen)
      for _ in 0..<2 {
        stepped.advance(by: .seconds(5))
        stepped.step()
      }
      #expect(events.list == ["close ETIMEDOUT"])
    }
  }

  @Test("a connection without queued bytes has no write timer, even if bytes waited before")
  func noWrite() throws {
    try withSteppedLoop { stepped in
      let (connection, peer) = try stepped.loop.pair()
      connection.writeTimeout = .seconds(5)
      connection.write([UInt8](repeating: 1, count: 1 << 20))
      stepped.step()
      #expect(stepped.loop.timerCount == 1)
      while connection.queuedBytes > 0 {
        _ = peer.receive()
        stepped.step()
      }
      #expect(stepped.loop.timerCount == 0)
      stepped.advance(by: .seconds(100))
      #expect(connection.isOpen)
      // The close of a connection whose peer does not receive ends too.
      connection.write([UInt8](repeating: 1, count: 4 << 20))
      let events = Events(of: connection)
      connection.close()
      for _ in 0..<4 {
        stepped.step()
        stepped.advance(by: .seconds(5))
      }
      stepped.step()
      #expect(events.list == ["close ETIMEDOUT"])
    }
  }

  @Test("a connect that has no outcome in time fails with ETIMEDOUT, once")
  func connect() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      // A listener that does not accept, whose backlog is full.
      let listener = try loop.listen(on: .loopback, backlog: 0) { _ in }
      listener.pause()
      var outcomes: [String] = []
      for index in 0..<4 {
        loop.connect(to: listener.endpoint, timeout: .seconds(3)) { result in
          switch result {
          case .success(let connection):
            outcomes.append("\(index) connected")
            connection.close()
          case .failure(let error): outcomes.append("\(index) \(error.name)")
          }
        }
      }
      for _ in 0..<5 { stepped.step() }
      #expect(!outcomes.contains { $0.hasSuffix("ETIMEDOUT") })
      stepped.advance(by: .seconds(3))
      for _ in 0..<5 { stepped.step() }
      #expect(outcomes.count == 4)
      #expect(Set(outcomes).count == 4)
      #expect(outcomes.contains("3 ETIMEDOUT"))
    }
  }
}
