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

  @Test("a listener can pause in its callback, and accepts no more until it resumes")
  func pausingInCallback() throws {
    try withLoop { loop in
      var accepted = 0
      var listener: Listener?
      listener = try loop.listen(on: .loopback) { _ in
        accepted += 1
        listener?.pause()
      }
      let endpoint = try #require(listener?.endpoint)
      let peers = try (0..<3).map { _ in try Peer(to: endpoint) }
      loop.tick(3)
      #expect(accepted == 1)
      listener?.resume()
      loop.tick(3)
      #expect(accepted == 2)
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
}
