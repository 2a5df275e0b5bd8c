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

@Suite("Listener without descriptors")
struct ListenerShortageTests {
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

  @Test("a listener that closes ends the wait of another")
  func closedListener() async {
    // Alone in a process, as `retry`.
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let other = try loop.listen(on: .loopback) { _ in }
        let listener = try loop.listen(on: .loopback, retryDelay: .seconds(3600)) { _ in }
        var attempts = 0
        listener.accept = { _ in
          attempts += 1
          return -EMFILE
        }
        let client = try Peer(to: listener.endpoint)
        loop.tick(3)
        #expect(attempts == 2)
        other.close()
        loop.tick(3)
        #expect(attempts == 4)
        withExtendedLifetime(client) {}
      }
    }
  }

  @Test("the first connection of a listener does not make libuv open its spare descriptor")
  func spare() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        var accepted = 0
        let listener = try loop.listen(on: .loopback) { connection in
          accepted += 1
          connection.closeImmediately()
        }
        // libuv's spare descriptor is of that file.
        func spares() -> Int { Process.descriptorNames.count { $0.hasSuffix(": /dev/null") } }
        let before = spares()
        let client = try Peer(to: listener.endpoint)
        try loop.run { accepted == 1 }
        #expect(spares() == before)
        withExtendedLifetime(client) {}
      }
    }
  }
}
