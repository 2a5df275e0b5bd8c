import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Callbacks of connections")
struct CallbackTests {
  @Test("reading stops while onRead is nil, and continues when it is set")
  func removedRead() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      connection.onRead = { _ in connection.onRead = nil }
      peer.send("first")
      loop.tick(2)
      #expect(connection.onRead == nil)
      peer.send("second")
      loop.tick(3)
      let events = Events(of: connection)
      try loop.run { !events.list.isEmpty }
      #expect(events.text == "second")
    }
  }

  @Test("a paused connection does not notice the peer's end until it resumes")
  func pausedEnd() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.pauseReading()
      peer.finishSending()
      loop.tick(3)
      #expect(events.list == [])
      connection.resumeReading()
      try loop.run { events.list == ["end"] }
    }
  }

  @Test("close() stops reading, also while bytes wait for the socket")
  func closing() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.write([UInt8](repeating: 1, count: 2 << 20))
      connection.flush()
      peer.send("too late")
      connection.close()
      try loop.run {
        _ = peer.receive()
        return events.isClosed
      }
      #expect(!events.list.contains("read") && events.list.last == "close nil")
    }
  }

  @Test("in onClose, closing and writing do nothing, and new callbacks are dropped")
  func inClose() throws {
    weak var captured: Events?
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      var log: [String] = []
      connection.onClose = { _ in
        log.append("close")
        connection.close()
        connection.closeImmediately()
        connection.finishWriting()
        connection.resumeReading()
        connection.idleTimeout = .seconds(1)
        connection.writeTimeout = .seconds(1)
        if connection.write("x") { log.append("write") }
        let events = Events(of: connection)
        captured = events
      }
      connection.closeImmediately()
      connection.closeImmediately()
      #expect(log == [])
      loop.tick(3)
      #expect(log == ["close"])
      #expect(captured == nil && connection.onClose == nil)
      #expect(loop.timerCount == 0)
      withExtendedLifetime(peer) {}
    }
  }

  @Test("a connection can close in the callback that delivers it", arguments: [true, false])
  func inAccept(isGraceful: Bool) throws {
    try withLoop { loop in
      let (server, client) = (Events(), Events())
      let listener = try loop.listen(on: .loopback) { connection in
        connection.onClose = { server.add("close \($0?.name ?? "nil")") }
        connection.write("bye")
        isGraceful ? connection.close() : connection.closeImmediately()
      }
      loop.connect(to: listener.endpoint) { result in
        guard case .success(let connection) = result else { return client.add("close") }
        connection.onRead = { _ in client.add("read") }
        connection.onClose = { _ in client.add("close") }
      }
      try loop.run { client.isClosed && server.isClosed }
      #expect(server.list == ["close nil"])
      #expect(client.list == (isGraceful ? ["read", "close"] : ["close"]))
    }
  }

  @Test("the remote endpoint of a TCP connection is nil once the peer has left")
  func remoteEndpoint() throws {
    try withLoop { loop in
      var accepted: Connection?
      let listener = try loop.listen(on: .loopback) { accepted = $0 }
      let peer = try Peer(to: listener.endpoint)
      try loop.run { accepted != nil }
      let connection = try #require(accepted)
      #expect(connection.remoteEndpoint != nil)
      peer.reset()
      try loop.run { connection.remoteEndpoint == nil }
      #expect(connection.localEndpoint == listener.endpoint)
    }
  }

  @Test("an endpoint is written as host and port, with brackets for IPv6, or as a path")
  func descriptions() {
    #expect(Endpoint.tcp(host: "example.com", port: 80).description == "example.com:80")
    #expect(Endpoint.tcp(host: "::1", port: 80).description == "[::1]:80")
    #expect(Endpoint.unix(path: "/tmp/socket").description == "/tmp/socket")
  }
}
