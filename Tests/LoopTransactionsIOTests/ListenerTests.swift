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

@Suite("Listener")
struct ListenerTests {
  @Test("a listener accepts until it is closed, and its connections stay")
  func accepting() throws {
    try withLoop { loop in
      var accepted: [Connection] = []
      let listener = try loop.listen(on: .loopback) { accepted.append($0) }
      #expect(listener.isAccepting)
      let peers = try (0..<3).map { _ in try Peer(to: listener.endpoint) }
      try loop.run { accepted.count == 3 }
      listener.close()
      listener.close()
      #expect(!listener.isAccepting)
      for connection in accepted { connection.write("hi") }
      loop.tick()
      for peer in peers { #expect(peer.text == "hi") }
    }
  }

  @Test("a paused listener accepts nothing, and does not keep the loop running")
  func pausing() throws {
    try withLoop { loop in
      var accepted = 0
      let listener = try loop.listen(on: .loopback) { _ in accepted += 1 }
      listener.pause()
      let peer = try Peer(to: listener.endpoint)
      #expect(loop.runInTime() == .finished)
      #expect(accepted == 0 && !listener.isAccepting)
      listener.resume()
      try loop.run { accepted == 1 }
      #expect(listener.isAccepting)
      withExtendedLifetime(peer) {}
    }
  }

  @Test("a listener can close in its callback, and accepts no more")
  func closing() throws {
    try withLoop { loop in
      var accepted = 0
      var listener: Listener?
      listener = try loop.listen(on: .loopback) { _ in
        accepted += 1
        listener?.close()
      }
      let endpoint = try #require(listener?.endpoint)
      let peers = try (0..<3).map { _ in try Peer(to: endpoint) }
      loop.tick(3)
      #expect(accepted == 1)
      withExtendedLifetime(peers) {}
    }
  }

  @Test("a listener accepts at most 64 connections between two polls")
  func batch() throws {
    try withLoop { loop in
      var accepted = 0
      let listener = try loop.listen(on: .loopback) { _ in accepted += 1 }
      let peers = try (0..<70).map { _ in try Peer(to: listener.endpoint) }
      loop.tick()
      #expect(accepted == 64)
      loop.tick()
      #expect(accepted == 70)
      withExtendedLifetime(peers) {}
    }
  }

  @Test("a listener can close and pause in onPause", arguments: [true, false])
  func endingInPause(isPaused: Bool) throws {
    try withLoop { loop in
      var (attempts, stops, accepted) = (0, 0, 0)
      let listener = try loop.listen(on: .loopback) { _ in accepted += 1 }
      let accept = listener.accept
      listener.accept = { _ in
        attempts += 1
        return -EMFILE
      }
      listener.onPause = { _ in
        stops += 1
        isPaused ? listener.pause() : listener.close()
      }
      let client = try Peer(to: listener.endpoint)
      try loop.run { stops == 1 }
      #expect(loop.timerCount == 0)
      loop.tick(3)
      #expect((attempts, stops) == (2, 1))
      #expect(!listener.isAccepting)
      listener.accept = accept
      listener.resume()
      loop.tick(3)
      #expect(accepted == (isPaused ? 1 : 0))
      withExtendedLifetime(client) {}
    }
  }

  @Test("an address in use is refused with a message, and shared with reusesPort")
  func reuse() throws {
    try withLoop { loop in
      let first = try loop.listen(on: .loopback, reusesPort: true) { _ in }
      let error = #expect(throws: UVError.self) {
        try loop.listen(on: first.endpoint) { _ in }
      }
      #expect(error?.name == "EADDRINUSE")
      #expect(error?.description.contains("choose another port") == true)
      #expect(error?.description.contains("EventLoop.listen on \(first.endpoint)") == true)
      let second = try loop.listen(on: first.endpoint, reusesPort: true) { _ in }
      #expect(second.endpoint == first.endpoint)
    }
  }

  @Test("a host name is refused with a message that says what to do")
  func names() throws {
    try withLoop { loop in
      let error = #expect(throws: UVError.self) {
        try loop.listen(on: .tcp(host: "example.com", port: 0)) { _ in }
      }
      #expect(error?.description.contains("use a numeric address") == true)
    }
  }

  @Test("a Unix socket serves, and its file is removed by close()")
  func unixSocket() throws {
    try withLoop { loop in
      let path = "/tmp/loop-io-\(UInt32.random(in: 0...(.max)))"
      var connections: [Connection] = []
      let listener = try loop.listen(on: .unix(path: path)) { accepted in
        accepted.onRead = { accepted.write($0) }
      }
      loop.connect(to: .unix(path: path)) { result in
        if case .success(let connection) = result { connections.append(connection) }
      }
      try loop.run { !connections.isEmpty }
      let connection = try #require(connections.first)
      #expect(connection.remoteEndpoint == .unix(path: path))
      let events = Events(of: connection, ends: false)
      connection.write("ping")
      connection.finishWriting()
      try loop.run { events.isClosed }
      #expect(events.text == "ping" && events.list.last == "close nil")
      #expect(throws: UVError.self) { try loop.listen(on: .unix(path: path)) { _ in } }
      listener.close()
      try loop.listen(on: .unix(path: path)) { _ in }.close()
      let long = String(repeating: "x", count: 200)
      let error = #expect(throws: UVError.self) {
        try loop.listen(on: .unix(path: long)) { _ in }
      }
      #expect(error?.name == "ENAMETOOLONG")
    }
  }

  /// The result of one `accept`, and whether a descriptor is freed during the
  /// call.
  private struct Attempt {
    let result: Int32
    var freesDescriptor = false
  }

  /// Runs a listener with a waiting client until it has made all attempts or
  /// has stopped more than `limit` times. Returns the errors of its stops.
  private func stops(_ attempts: [Attempt], limit: Int = 0) throws -> [String] {
    var stops: [String] = []
    try withLoop { loop in
      let listener = try loop.listen(on: .loopback, retryDelay: .seconds(3600)) { _ in }
      listener.onPause = { stops.append($0.name) }
      var made = 0
      listener.accept = { _ in
        guard made < attempts.count else { return -EAGAIN }
        defer { made += 1 }
        // Frees a descriptor on another thread.
        if attempts[made].freesDescriptor { Self.closeConnectionElsewhere() }
        return attempts[made].result
      }
      let client = try Peer(to: listener.endpoint)
      try loop.run { made == attempts.count || stops.count > limit }
      withExtendedLifetime(client) {}
    }
    return stops
  }

  private static func closeConnectionElsewhere() {
    TestThread.run {
      try? withLoop { loop in try loop.pair().0.closeImmediately() }
    }
  }

  @Test("a descriptor freed before the listener registers prevents the wait")
  func freedBefore() throws {
    let stops = try stops([
      Attempt(result: -EMFILE, freesDescriptor: true), Attempt(result: -EAGAIN),
    ])
    #expect(stops == [])
  }

  @Test("a descriptor freed between the registration and the wait ends the wait")
  func freedBetween() throws {
    let attempts = [
      Attempt(result: -EMFILE), Attempt(result: -EMFILE, freesDescriptor: true),
      Attempt(result: -EAGAIN),
    ]
    #expect(try stops(attempts, limit: 1) == ["EMFILE"])
  }

  @Test("aborted connections and interrupted calls do not stop the listener")
  func skippedErrors() throws {
    let results = [-ECONNABORTED, -EINTR, -EPROTO, -EAGAIN]
    #expect(try stops(results.map { Attempt(result: $0) }) == [])
  }

  @Test("a listener without descriptors tries again after the delay")
  func retry() async {
    // Alone in a process, because a connection that another test closes ends the
    // wait.
    await #expect(processExitsWith: .success) {
      try Self.checkRetry()
    }
  }

  private static func checkRetry() throws {
    try withSteppedLoop { stepped in
      var (attempts, stops) = (0, 0)
      let listener = try stepped.loop.listen(on: .loopback, retryDelay: .seconds(7)) { _ in }
      listener.accept = { _ in
        attempts += 1
        return -EMFILE
      }
      listener.onPause = { _ in stops += 1 }
      let client = try Peer(to: listener.endpoint)
      for _ in 0..<3 { stepped.step() }
      #expect((attempts, stops) == (2, 1))
      #expect(!listener.isAccepting)
      stepped.advance(by: .seconds(7))
      for _ in 0..<3 { stepped.step() }
      #expect((attempts, stops) == (4, 2))
      listener.pause()
      #expect(stepped.loop.timerCount == 0)
      withExtendedLifetime(client) {}
    }
  }

  @Test("without descriptors the listener waits, and connected clients are served")  // E7
  func realLimit() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      try withLoop { loop in
        var (stops, accepted) = (0, [Connection]())
        let listener = try loop.listen(on: .loopback, retryDelay: .seconds(3600)) { connection in
          connection.onRead = { connection.write($0) }
          accepted.append(connection)
        }
        listener.onPause = { _ in stops += 1 }
        let clients = try (0..<8).map { _ in try Peer(to: listener.endpoint) }
        Process.limitDescriptors(to: 3)
        try loop.run { stops == 1 }
        // Another thread may open or close a descriptor of the process meanwhile.
        let before = accepted.count
        #expect((2...4).contains(before))
        clients[0].send("served")
        try loop.run { clients[0].isReadable }
        #expect(clients[0].text == "served")
        // A closed connection makes room for one more. Two, because libdispatch
        // opens a file for a moment, once a second, and may take the first room.
        for connection in accepted[..<2] { connection.close() }
        try loop.run { accepted.count > before && stops > 1 }
        // A client that closes earlier would make room too.
        withExtendedLifetime(clients) {}
      }
    }
  }
}
