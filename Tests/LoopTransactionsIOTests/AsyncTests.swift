import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport
import Testing

/// An actor pinned to a loop, with one connection.
private actor Session {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  private var connection: Connection?
  private(set) var log: [String] = []
  private(set) var reads = 0

  init(on port: LoopPort) { self.port = port }

  private func loop() throws -> EventLoop { try #require(EventLoop.current) }

  func adopt(_ descriptor: Int32) throws {
    let made = try loop().connection(adopting: descriptor)
    made.onClose = { [unowned self] error in
      assumeIsolated { $0.log.append("close \(error?.name ?? "nil")") }
    }
    connection = made
  }

  func read() async throws -> String? {
    reads += 1
    guard let connection else { return nil }
    return try await connection.read().map { String(decoding: $0, as: UTF8.self) }
  }

  /// Cancels `reader`, and reads in another task, whose job is behind the
  /// cancellation and before the cancelled task's.
  func replace(_ reader: Task<String?, any Error>) -> Task<String?, any Error> {
    reader.cancel()
    return Task { try await read() }
  }

  /// Echoes everything, and returns the number of bytes.
  func echo() async throws -> Int {
    guard let connection else { return 0 }
    var count = 0
    for try await chunk in connection.chunks {
      #expect(EventLoop.current != nil)
      count += chunk.count
      connection.write(chunk)
      try await connection.drain()
    }
    connection.close()
    return count
  }

  /// Writes more than the peer takes. The connection is then not writable until
  /// it is taken.
  func write(_ count: Int) {
    // So that nothing is sent before the marks change.
    connection?.setWaterMarks(low: 0, high: count + 1)
    connection?.write([UInt8](repeating: 1, count: count))
    connection?.setWaterMarks(low: 0, high: 1)
  }

  func answer(_ text: String) -> Bool { connection?.write(text) == true }

  func drain() async throws { try await connection?.drain() }

  /// Writes more than the peer takes, and waits until it is taken.
  func fill(_ count: Int) async throws {
    guard let connection else { return }
    write(count)
    #expect(!connection.isWritable)
    try await connection.drain()
    log.append("drained")
  }

  func close() { connection?.closeImmediately() }

  func closeGracefully() { connection?.close() }

  func connect(to endpoint: Endpoint, timeout: Duration? = nil) async throws -> Bool {
    let made = try await loop().connect(to: endpoint, timeout: timeout)
    defer { made.close() }
    return made.isOpen
  }

  func listen(backlog: Int = 16, isPaused: Bool = false) throws -> Endpoint {
    let listener = try loop().listen(on: .loopback, backlog: backlog) { connection in
      connection.onRead = { connection.write($0) }
    }
    if isPaused { listener.pause() }
    return listener.endpoint
  }
}

/// Expects equality. A macro cannot contain `try await` in these closures.
private func equal<Value: Equatable>(
  _ value: Value,
  _ expected: Value,
  _ location: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, sourceLocation: location)
}

@Suite("Connections of tasks")
struct AsyncTests {
  private func withSession(
    _ body: (Session, Peer, LoopThread) async throws -> Void
  ) async throws {
    let thread = try LoopThread(name: "io")
    let session = Session(on: thread.port)
    let (peer, other) = Peer.pair()
    try await session.adopt(other)
    do { try await body(session, peer, thread) } catch {
      thread.stop()
      try await thread.join()
      throw error
    }
    thread.stop()
    try await thread.join()
  }

  @Test("read() returns what arrived, and nil at the peer's end")  // E7
  func reading() async throws {
    try await withSession { session, peer, _ in
      peer.send("one")
      equal(try await session.read(), "one")
      async let second = session.read()
      peer.send("two")
      equal(try await second, "two")
      peer.finishSending()
      equal(try await session.read(), nil)
      equal(try await session.read(), nil)
      await session.close()
      equal(try await session.read(), nil)
    }
  }

  @Test("a task that reads can answer after the peer's end")  // E7
  func answering() async throws {
    try await withSession { session, peer, _ in
      peer.send("question")
      peer.finishSending()
      equal(try await session.read(), "question")
      equal(try await session.read(), nil)
      equal(await session.answer("answer"), true)
      equal(inTime { peer.isReadable }, true)
      equal(peer.text, "answer")
    }
  }

  @Test("chunks and drain() echo on the loop until the peer's end")
  func chunks() async throws {
    try await withSession { session, peer, _ in
      async let count = session.echo()
      var echoed = 0
      for _ in 0..<50 {
        peer.send([UInt8](repeating: 2, count: 10_000))
        echoed += try await received(peer, until: 10_000)
      }
      peer.finishSending()
      equal(try await count, 500_000)
      #expect(echoed == 500_000)
    }
  }

  /// Receives bytes of `peer` until there are `count`.
  private func received(_ peer: Peer, until count: Int) async throws -> Int {
    var total = 0
    while total < count {
      guard let bytes = peer.receive(count - total) else { return total }
      total += bytes.count
      if bytes.isEmpty { await Task.yield() }
    }
    return total
  }

  @Test("drain() waits until the queue falls to the low mark")
  func draining() async throws {
    try await withSession { session, peer, _ in
      async let done: Void = session.fill(2 << 20)
      equal(try await received(peer, until: 2 << 20), 2 << 20)
      try await done
      equal(await session.log, ["drained"])
    }
  }

  @Test("several tasks wait in drain(), and a cancelled one throws")
  func drainers() async throws {
    try await withSession { session, peer, _ in
      await session.write(1 << 20)
      async let first: Void = session.drain()
      async let second: Void = session.drain()
      let third = Task { try await session.drain() }
      third.cancel()
      await #expect(throws: CancellationError.self) { try await third.value }
      equal(try await received(peer, until: 1 << 20), 1 << 20)
      _ = try await (first, second)
      try await session.drain()
    }
  }

  @Test("a peer that leaves with unread bytes makes read() and drain() throw")
  func reset() async throws {
    try await withSession { session, peer, _ in
      await session.write(2 << 20)
      let reading = Task { try await session.read() }
      let draining = Task { try await session.drain() }
      while await session.reads == 0 { await Task.yield() }
      peer.close()
      await #expect(throws: UVError.self) { try await reading.value }
      await #expect(throws: UVError.self) { try await draining.value }
    }
  }

  @Test("a connection reads at most 64 KB and one buffer ahead of read()")
  func readingAhead() async throws {
    try await withSession { session, peer, _ in
      peer.send("x")
      equal(try await session.read(), "x")
      var sent = 0
      for _ in 0..<200 {
        sent += peer.sendWhatFits(64 << 10)
        // A hop to the loop and back.
        _ = await session.log
      }
      var bytes = try await session.read()?.utf8.count ?? 0
      #expect((64 << 10...128 << 10).contains(bytes), "of \(sent)")
      // Reading goes on.
      while bytes < sent, let more = try await session.read() { bytes += more.utf8.count }
      #expect(bytes == sent)
    }
  }

  @Test("close() ends a waiting read(), also while bytes wait for the socket")
  func closing() async throws {
    try await withSession { session, peer, _ in
      await session.write(2 << 20)
      let reading = Task { try await session.read() }
      while await session.reads == 0 { await Task.yield() }
      await session.closeGracefully()
      equal(try await reading.value, nil)
      equal(try await received(peer, until: 2 << 20), 2 << 20)
    }
  }

  @Test("a cancelled read() throws, and loses no bytes")
  func cancelling() async throws {
    try await withSession { session, peer, _ in
      let task = Task { try await session.read() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      peer.send("kept")
      equal(try await session.read(), "kept")
    }
  }

  @Test("a read() that follows a cancelled one waits, and gets the bytes")
  func replacing() async throws {
    try await withSession { session, peer, _ in
      let first = Task { try await session.read() }
      while await session.reads == 0 { await Task.yield() }
      let second = await session.replace(first)
      await #expect(throws: CancellationError.self) { try await first.value }
      peer.send("kept")
      equal(try await second.value, "kept")
    }
  }

  @Test("a lost connection makes waiting tasks throw, and closing the loop does")
  func losing() async throws {
    try await withSession { session, peer, thread in
      let reading = Task { try await session.read() }
      while await session.reads == 0 { await Task.yield() }
      thread.stop()
      try await thread.join()
      await #expect(throws: (any Error).self) { try await reading.value }
      #expect(peer.hasEnded)
      // On a worker, because the loop is closed.
      await #expect(throws: UVError.self) { try await session.read() }
      await session.close()
      equal(await session.log, ["close ECANCELED"])
    }
  }

  @Test("connect succeeds and fails in a task")
  func connecting() async throws {
    try await withSession { session, _, _ in
      let endpoint = try await session.listen()
      equal(try await session.connect(to: endpoint), true)
      await #expect(throws: UVError.self) {
        try await session.connect(to: .unix(path: "/tmp/no such socket"))
      }
    }
  }

  @Test("a cancelled connect throws, unless it has succeeded")
  func cancelledConnect() async throws {
    try await withSession { session, _, _ in
      // The backlog of the listener has room for fewer clients.
      let endpoint = try await session.listen(backlog: 0, isPaused: true)
      let tasks = (0..<4).map { _ in Task { try await session.connect(to: endpoint) } }
      // A hop to the loop and back.
      _ = await session.log
      for task in tasks { task.cancel() }
      var cancelled = 0
      for task in tasks {
        do { equal(try await task.value, true) } catch is CancellationError { cancelled += 1 }
      }
      #expect(cancelled > 0)
    }
  }
}
