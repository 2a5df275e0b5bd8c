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

@Suite("Connecting")
struct ConnectTests {
  /// Connects, and returns the outcome as text.
  private func outcome(
    of endpoint: Endpoint,
    on loop: EventLoop
  ) throws -> String {
    var outcomes: [String] = []
    loop.connect(to: endpoint) { result in
      switch result {
      case .success(let connection):
        outcomes.append("connected")
        connection.closeImmediately()
      case .failure(let error): outcomes.append(error.description)
      }
    }
    #expect(outcomes == [])
    try loop.run { !outcomes.isEmpty }
    loop.tick(3)
    #expect(outcomes.count == 1)
    return outcomes[0]
  }

  /// Connects until the connection fails, and returns the error. A process that
  /// another test has just forked holds a closed listener for a moment.
  private func failure(of endpoint: Endpoint, on loop: EventLoop) -> String {
    var text = ""
    _ = inTime {
      text = (try? outcome(of: endpoint, on: loop)) ?? "no outcome"
      return text != "connected"
    }
    return text
  }

  @Test("a refused connection fails once, with the address and a remedy")
  func refused() throws {
    try withLoop { loop in
      let listener = try loop.listen(on: .loopback) { _ in }
      listener.close()
      let text = failure(of: listener.endpoint, on: loop)
      #expect(text.contains("EventLoop.connect to \(listener.endpoint)"))
      #expect(text.contains("ECONNREFUSED"))
      #expect(text.contains("check that a server listens"))
    }
  }

  @Test("a connect that succeeds ends its timer")
  func timer() throws {
    try withLoop { loop in
      let listener = try loop.listen(on: .loopback) { _ in }
      var connection: Connection?
      loop.connect(to: listener.endpoint, timeout: .seconds(3600)) { connection = try? $0.get() }
      #expect(loop.timerCount == 1)
      try loop.run { connection != nil }
      #expect(loop.timerCount == 0)
    }
  }

  @Test("names are resolved, and a name that does not exist fails")
  func names() throws {
    try withLoop { loop in
      let listener = try loop.listen(on: .loopback) { $0.close() }
      guard case .tcp(_, let port) = listener.endpoint else { return }
      #expect(try outcome(of: .tcp(host: "localhost", port: port), on: loop) == "connected")
      let text = try outcome(of: .tcp(host: "no such host.invalid", port: 1), on: loop)
      #expect(text.contains("EAI_"))
    }
  }

  @Test("a Unix socket that does not exist, and a path that is too long, fail once")
  func paths() throws {
    try withLoop { loop in
      let missing = try outcome(of: .unix(path: "/tmp/no such socket"), on: loop)
      #expect(missing.contains("ENOENT"))
      let long = String(repeating: "x", count: 200)
      #expect(try outcome(of: .unix(path: long), on: loop).contains("ENAMETOOLONG"))
    }
  }

  @Test("a connect that fails frees a descriptor, for which a listener waits")  // E7
  func freedDescriptor() throws {
    try withLoop { loop in
      var accepted = 0
      let listener = try loop.listen(on: .loopback, retryDelay: .seconds(3600)) { _ in
        accepted += 1
      }
      let accept = listener.accept
      listener.accept = { _ in -EMFILE }
      let client = try Peer(to: listener.endpoint)
      try loop.run { !listener.isAccepting }
      listener.accept = accept
      let text = try outcome(of: .unix(path: "/tmp/no such socket"), on: loop)
      #expect(text.contains("ENOENT"))
      try loop.run { accepted == 1 }
      withExtendedLifetime(client) {}
    }
  }

  @Test("a connect that fails and times out in the same tick has one outcome")
  func failureAndTimeout() throws {
    try withSteppedLoop { stepped in
      var errors: [String] = []
      let missing = Endpoint.unix(path: String(repeating: "x", count: 200))
      stepped.loop.connect(to: missing, timeout: .seconds(1)) { result in
        if case .failure(let error) = result { errors.append(error.name) }
      }
      stepped.spend(.seconds(1))
      for _ in 0..<3 { stepped.step() }
      #expect(errors.count == 1, "\(errors)")
    }
  }

  @Test("closing the loop ends every connection and connect, each with one callback")  // E7
  func closingLoop() throws {
    var log: [String] = []
    try withLoop { loop in
      let (accepted, connected) = try loop.tcpPair()
      accepted.onClose = { log.append("accepted \($0?.name ?? "nil")") }
      connected.onClose = { log.append("connected \($0?.name ?? "nil")") }
      connected.write("x")
      let listener = try loop.listen(on: .loopback) { _ in }
      loop.connect(to: listener.endpoint) { result in
        guard case .failure(let error) = result else { return log.append("connect") }
        log.append("connect \(error.name)")
      }
      loop.connect(to: .tcp(host: "localhost", port: 1)) { result in
        guard case .failure(let error) = result else { return log.append("lookup") }
        log.append("lookup \(error.name)")
      }
    }
    #expect(Set(log.prefix(2)) == ["accepted ECANCELED", "connected ECANCELED"])
    #expect(log.dropFirst(2) == ["connect ECANCELED", "lookup ECANCELED"])
  }

  @Test("queued bytes are sent once more when the loop closes")
  func lastBytes() throws {
    let (peer, other) = Peer.pair()
    try withLoop { loop in
      let connection = try loop.connection(adopting: other)
      connection.write("last")
    }
    #expect(peer.text == "last")
    #expect(peer.hasEnded)
  }

  @Test("an adopted loop closes its connections inside a callback, and the host frees them")
  func adoptedLoop() throws {
    let (peer, other) = Peer.pair()
    var log: [String] = []
    try withAdoptedLoop { host, loop in
      let connection = try loop.connection(adopting: other)
      connection.onRead = { _ in
        log.append("read")
        #expect(throws: Never.self) { try loop.close() }
        log.append("closed")
      }
      connection.onClose = { log.append("close \($0?.name ?? "nil")") }
      peer.send("x")
      while log.count < 3 { host.run(.once) }
      host.run(.noWait)
    }
    #expect(log == ["read", "close ECANCELED", "closed"])
    #expect(peer.hasEnded)
  }

  @Test("releasing an open loop ends its connections without callbacks")
  func releasedLoop() throws {
    Interposed.forgiveLeaks()
    let (peer, other) = Peer.pair()
    weak var captured: Events?
    do {
      let loop = try EventLoop()
      let connection = try loop.connection(adopting: other)
      let events = Events(of: connection)
      captured = events
    }
    #expect(captured == nil)
    #expect(peer.hasEnded)
  }

  @Test("releasing an open loop closes its listeners")
  func releasedListener() throws {
    Interposed.forgiveLeaks()
    let endpoint: Endpoint
    do {
      let loop = try EventLoop()
      endpoint = try loop.listen(on: .loopback) { _ in }.endpoint
    }
    try withLoop { loop in
      #expect(failure(of: endpoint, on: loop).contains("ECONNREFUSED"))
    }
  }

  @Test("a forked child neither reads nor keeps the parent's connections")
  func fork() async {
    await #expect(processExitsWith: .success) {
      let (peer, other) = Peer.pair()
      try withAdoptedLoop { host, loop in
        let connection = try loop.connection(adopting: other)
        let events = Events(of: connection)
        let ending = Process.fork {
          host.takeOver()
          peer.send("for the parent")
          for _ in 0..<5 { host.run(.noWait) }
          System.logToStandardError("read \(events.list.count)")
        }
        #expect(ending.standardError == "read 0\n")
        while events.list.isEmpty { host.run(.once) }
        #expect(events.text == "for the parent")
      }
    }
  }

  @Test("a forked child neither writes to the parent's sockets nor keeps them open")
  func forkedSockets() async {
    await #expect(processExitsWith: .success) {
      let before = openSockets()
      let (peer, other) = Peer.pair()
      let peerOnly = openSockets().subtracting(before).subtracting(openSockets([other]))
      try withAdoptedLoop { host, loop in
        let connection = try loop.connection(adopting: other)
        _ = try loop.listen(on: .loopback) { _ in }
        connection.write([UInt8](repeating: 1, count: 8 << 20))
        connection.flush()
        #expect(connection.queuedBytes > 0)
        let parents = openSockets().subtracting(before).subtracting(peerOnly)
        #expect(parents.count == 2)
        let ending = Process.fork {
          Process.endInTime()
          host.takeOver()
          // Makes the parent's socket writable.
          while let bytes = peer.receive(), !bytes.isEmpty {}
          for _ in 0..<5 { host.run(.noWait) }
          let kept = openSockets().intersection(parents).count
          System.logToStandardError("received \(peer.receive()?.count ?? -1), kept \(kept)")
        }
        #expect(ending.standardError == "received 0, kept 0\n")
      }
    }
  }
}

/// The sockets that the process has open, or those of `descriptors`.
private func openSockets(_ descriptors: [Int32]? = nil) -> Set<String> {
  let prefixes = descriptors?.map { "\($0): " } ?? [""]
  let names = Process.descriptorNames.filter { name in prefixes.contains(where: name.hasPrefix) }
  return Set(names.compactMap { $0.split(separator: " ").last.map(String.init) })
    .filter { $0.hasPrefix("socket:") }
}
