import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Connection")
struct ConnectionTests {
  @Test("an accepted connection echoes, and both sides close in the same order")
  func echo() throws {
    try withLoop { loop in
      let (accepted, connected) = try loop.tcpPair()
      accepted.onRead = { accepted.write($0) }
      let server = Events()
      accepted.onClose = { server.add("close \($0?.name ?? "nil")") }
      let events = Events(of: connected, ends: false)
      connected.write("hello")
      connected.finishWriting()
      try loop.run { events.isClosed && server.isClosed }
      #expect(events.list == ["read", "close nil"])
      #expect(events.text == "hello")
      #expect(server.list == ["close nil"])
      #expect(!accepted.isOpen && !connected.isOpen)
    }
  }

  @Test("a connection has the endpoints of both sides, and none after it closed")
  func endpoints() throws {
    try withLoop { loop in
      let (accepted, connected) = try loop.tcpPair()
      #expect(accepted.remoteEndpoint == connected.localEndpoint)
      #expect(accepted.localEndpoint == connected.remoteEndpoint)
      #expect(accepted.localEndpoint?.description.hasPrefix("127.0.0.1:") == true)
      accepted.closeImmediately()
      #expect(accepted.localEndpoint == nil)
      #expect(accepted.remoteEndpoint == nil)
    }
  }

  @Test("the peer's end is reported once, and the connection can still write")
  func peerEnds() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      peer.send("last")
      peer.finishSending()
      try loop.run { events.list.contains("end") }
      #expect(connection.isOpen)
      connection.write("still here")
      loop.tick(3)
      #expect(peer.text == "still here")
      connection.finishWriting()
      #expect(!connection.write("too late"))
      try loop.run { events.isClosed }
      #expect(peer.hasEnded)
      #expect(events.list == ["read", "end", "close nil"])
    }
  }

  @Test("after finishWriting() the connection still reads until the peer ends")
  func halfClose() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.write("request")
      connection.finishWriting()
      connection.finishWriting()
      loop.tick(4)
      #expect(peer.text == "request")
      #expect(peer.hasEnded)
      peer.send("reply")
      peer.finishSending()
      try loop.run { events.isClosed }
      #expect(events.list == ["read", "end", "close nil"])
      #expect(events.text == "reply")
    }
  }

  @Test("without onEnd the connection closes after the peer's end, and after its replies")
  func automaticEnd() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection, ends: false)
      connection.onRead = { connection.write($0) }
      peer.send("ping")
      peer.finishSending()
      try loop.run { events.isClosed }
      #expect(peer.text == "ping")
      #expect(peer.hasEnded)
      #expect(events.list == ["close nil"])
    }
  }

  /// A connection that has finished writing, and the events after its peer has
  /// ended with bytes that a read does not get at once.
  private func interrupted(urgently: Bool, on loop: EventLoop) throws -> (Connection, Events) {
    let (connection, peer) = urgently ? try loop.tcpPeer() : try loop.pair()
    let events = Events(of: connection)
    connection.finishWriting()
    loop.tick(2)
    if urgently { peer.send("first ") } else { peer.send("first ", passing: 2) }
    if urgently { peer.sendUrgentByte() } else { peer.send("second ", passing: 2) }
    peer.send("third")
    peer.close()
    return (connection, events)
  }

  @Test(
    "all bytes arrive before the end, also behind a descriptor or an urgent byte",
    arguments: [false, true]
  )  // E7
  func interruptedEnd(urgently: Bool) throws {
    try withLoop { loop in
      let (_, events) = try interrupted(urgently: urgently, on: loop)
      try loop.run { events.isClosed }
      #expect(events.text == (urgently ? "first third" : "first second third"))
      #expect(events.list.drop { $0 == "read" } == ["end", "close nil"])
    }
  }

  @Test("reading that pauses at each read gets all bytes before the end", arguments: [false, true])
  func interruptedPauses(urgently: Bool) throws {
    try withLoop { loop in
      let (connection, events) = try interrupted(urgently: urgently, on: loop)
      let record = connection.onRead
      connection.onRead = { bytes in
        record?(bytes)
        connection.pauseReading()
      }
      var reads = 0
      while !events.isClosed {
        connection.resumeReading()
        try loop.run { events.list.count > reads }
        loop.tick(3)
        #expect(events.isClosed || events.list.count == reads + 1)
        reads = events.list.count
      }
      #expect(events.text == (urgently ? "first third" : "first second third"))
    }
  }

  @Test("a peer that leaves bytes unread is lost, after its own bytes, and has not ended")
  func unreadByPeer() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.write("never read")
      loop.tick()
      peer.send("last")
      peer.close()
      try loop.run { events.isClosed }
      #expect(events.text == "last")
      #expect(events.list == ["read", "close ECONNRESET"])
    }
  }

  @Test("a reset is reported by onClose, once, and nothing follows")  // E7
  func reset() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.tcpPeer()
      let events = Events(of: connection)
      peer.reset()
      try loop.run { events.isClosed }
      #expect(events.list == ["close ECONNRESET"])
      #expect(!connection.write("x"))
      loop.tick(3)
      #expect(events.list.count == 1)
    }
  }

  @Test("a write to a peer that has left closes the connection, without SIGPIPE")
  func brokenPipe() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events()
      connection.onClose = { events.add("close \($0?.name ?? "nil")") }
      peer.close()
      connection.write("x")
      try loop.run { events.isClosed }
      #expect(events.list == ["close EPIPE"])
    }
  }

  @Test("close() sends the queued bytes first, and calls onClose later")
  func gracefulClose() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      peer.shrinkBuffers(0)
      let events = Events(of: connection)
      let bytes = [UInt8](repeating: 5, count: 3 << 20)
      connection.write(bytes)
      connection.close()
      connection.close()
      #expect(!connection.isOpen && !connection.write("x"))
      #expect(events.list == [])
      var received = 0
      try loop.run {
        received += peer.receive()?.count ?? 0
        return events.isClosed
      }
      while let rest = peer.receive(), !rest.isEmpty { received += rest.count }
      #expect(received == bytes.count)
      #expect(events.list.filter { $0.hasPrefix("close") } == ["close nil"])
    }
  }

  @Test("closeImmediately() drops the queued bytes and closes the socket at once")
  func immediateClose() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.write("dropped")
      connection.closeImmediately()
      #expect(peer.hasEnded)
      #expect(connection.queuedBytes == 0)
      #expect(events.list == [])
      loop.tick(2)
      #expect(events.list == ["close nil"])
    }
  }

  @Test("a connection can close in each of its callbacks", arguments: ["read", "end", "drain"])
  func closeInCallback(_ place: String) throws {
    for isGraceful in [true, false] {
      try withLoop { loop in
        let (connection, peer) = try loop.pair()
        let events = Events(of: connection)
        let close = {
          events.add(place)
          isGraceful ? connection.close() : connection.closeImmediately()
        }
        switch place {
        case "read":
          connection.onRead = { _ in close() }
          peer.send("x")
        case "end":
          connection.onEnd = close
          peer.finishSending()
        default:
          connection.onDrain = close
          connection.write("x")
          connection.setWaterMarks(low: 0, high: 1)
          #expect(!connection.isWritable)
        }
        try loop.run { events.isClosed }
        #expect(events.list == [place, "close nil"])
      }
    }
  }

  @Test("the callbacks are released after onClose, with a connection that they capture")
  func release() throws {
    weak var released: Events?
    weak var connection: Connection?
    try withLoop { loop in
      do {
        let (made, peer) = try loop.pair()
        let events = Events(of: made)
        made.onDrain = { made.write("x") }
        (released, connection) = (events, made)
        peer.close()
        made.close()
        try loop.run { events.isClosed }
      }
      loop.tick()
      #expect(released == nil)
      #expect(connection == nil)
    }
  }

  @Test("pausing stops the reading of one connection, and resuming continues it")
  func pausing() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.pauseReading()
      peer.send("kept")
      loop.tick(5)
      #expect(events.list == [])
      connection.resumeReading()
      try loop.run { !events.list.isEmpty }
      #expect(events.text == "kept")
      connection.onRead = { _ in
        events.add("once")
        connection.pauseReading()
      }
      peer.send("a")
      loop.tick(3)
      peer.send("b")
      loop.tick(3)
      #expect(events.list == ["read", "once"])
    }
  }

  @Test("back-pressure: isWritable ends at the high mark, and onDrain follows at the low mark")
  func waterMarks() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.setWaterMarks(low: 100_000, high: 2_000_000)
      let block = [UInt8](repeating: 1, count: 100_000)
      var written = 0
      while connection.isWritable {
        connection.write(block)
        written += block.count
      }
      #expect((2_000_000..<2_100_000).contains(connection.queuedBytes))
      #expect(written > connection.queuedBytes)
      loop.tick(3)
      #expect(!connection.isWritable && events.list == [])
      var received = 0
      try loop.run {
        received += peer.receive()?.count ?? 0
        return !events.list.isEmpty
      }
      #expect(events.list == ["drain"])
      #expect(connection.isWritable)
      #expect(connection.queuedBytes <= 100_000)
      try loop.run {
        received += peer.receive()?.count ?? 0
        return received == written
      }
      #expect(events.list == ["drain"])
    }
  }

  @Test("in steady state, an echo of a tick allocates nothing and costs one read and one write")
  func allocations() throws {
    guard Interposed.isAvailable, Interposed.isOptimized else { return }
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      connection.onRead = { connection.write($0) }
      let message = [UInt8](repeating: 9, count: 20_000)
      for _ in 0..<20 {
        peer.send(message)
        loop.tick(2)
        #expect(peer.receive()?.count == message.count)
      }
      peer.send(message)
      let (writes, reads) = (Interposed.writes, Interposed.reads)
      let count = Interposed.allocations { loop.tick(2) }
      #expect(count == 0)
      #expect(Interposed.writes - writes == 1)
      #expect(Interposed.reads - reads == 1)
    }
  }

  @Test("a descriptor that is no socket is refused, and closed")
  func refusal() throws {
    try withLoop { loop in
      let (peer, other) = Peer.pipe()
      let error = #expect(throws: UVError.self) { _ = try loop.connection(adopting: other) }
      #expect(error?.name == "ENOTSOCK")
      #expect(inTime { peer.isReadable })
    }
  }
}
