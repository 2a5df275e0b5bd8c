import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

private struct Failure: Error {}

/// The blocking `shutDown()`, for asynchronous tests.
private func shutDownBlocking(_ group: LoopGroup) throws(UVError) { try group.shutDown() }

@Suite("LoopGroup")
struct LoopGroupTests {
  @Test("a group has one thread per CPU by default, named and numbered")  // G2
  func defaults() throws {
    let group = try LoopGroup()
    let numbers = 0..<min(group.threads.count, SerialQueuePool.defaultCount)
    #expect(numbers.count == SerialQueuePool.defaultCount)
    #expect(group.threads.prefix(numbers.count).map(\.name) == numbers.map { "loop-\($0)" })
    try group.shutDown()
  }

  @Test("next() takes the threads in turn, and equal keys have one thread")  // G2
  func choices() throws {
    let group = try LoopGroup(name: "choices", count: 3)
    let turns = (0..<7).map { _ in group.next().name }
    #expect(turns == (0..<7).map { "choices-\($0 % 3)" })
    for key in 0..<100 { #expect(group.loop(for: "\(key)") === group.loop(for: "\(key)")) }
    #expect(Set((0..<1000).map { group.loop(for: $0).name }).count == 3)
    try group.shutDown()
  }

  /// Equal to every name that differs only in its note.
  private struct Name: Hashable {
    let text: String
    let note: Int

    static func == (a: Name, b: Name) -> Bool { a.text == b.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
  }

  @Test("a key's thread depends on nothing but the key and the number of threads")  // G2
  func constantChoices() throws {
    let (group, other) = (try LoopGroup(name: "a", count: 5), try LoopGroup(name: "b", count: 5))
    @Sendable func places(_ group: LoopGroup, note: Int) -> [Int?] {
      (0..<100).map { number in
        let thread = group.loop(for: Name(text: "\(number)", note: note))
        return group.threads.firstIndex { $0 === thread }
      }
    }
    let first = places(group, note: 0)
    for note in 1...3 {
      _ = group.next()
      #expect(places(group, note: note) == first)
    }
    #expect(places(other, note: 4) == first)
    TestThread.run { #expect(places(group, note: 5) == first) }
    try group.threads[0].port.postAndWait { #expect(places(group, note: 6) == first) }
    try group.shutDown()
    #expect(places(group, note: 7) == first)
    try other.shutDown()
  }

  @Test("forEach runs on each loop in order, and ends with the first error")  // G2
  func forEach() async throws {
    let group = try LoopGroup(name: "each", count: 3)
    let (ports, seen) = (group.threads.map(\.port), Locked<[Int?]>([]))
    try await group.forEach { loop in
      seen.withLock { $0.append(ports.firstIndex { $0 === loop.port }) }
    }
    #expect(seen.withLock { $0 } == [0, 1, 2])
    await #expect(throws: Failure.self) {
      try await group.forEach { loop in
        seen.withLock { $0.append(nil) }
        if loop.port === ports[1] { throw Failure() }
      }
    }
    #expect(seen.withLock { $0 } == [0, 1, 2, nil, nil])
    try await group.shutDown()
  }

  @Test("the metrics add up those of all loops, also after the end")  // G2, X1
  func metrics() async throws {
    let group = try LoopGroup(name: "metrics", count: 2)
    for number in 0..<10 { try group.threads[number % 2].port.post {} }
    try await group.shutDown()
    let all = group.threads.map(\.port.metrics)
    #expect(group.metrics.posts == all[0].posts + all[1].posts)
    #expect(group.metrics.posts >= 10)
    #expect(group.metrics.ticks == all[0].ticks + all[1].ticks)
  }

  @Test("adding metrics adds every counter, and keeps the longer tick")  // G2, X1
  func sum() {
    var metrics = LoopMetrics()
    for (number, counter) in Self.counters.enumerated() {
      metrics[keyPath: counter] = .init(number)
    }
    (metrics.busy, metrics.idle, metrics.longestTick) = (.seconds(3), .seconds(4), .seconds(5))
    var sum = metrics
    sum.add(metrics)
    for (number, counter) in Self.counters.enumerated() {
      #expect(sum[keyPath: counter] == .init(2 * number), "counter \(number)")
    }
    #expect([sum.busy, sum.idle, sum.longestTick] == [.seconds(6), .seconds(8), .seconds(5)])
    // A counter that is added to LoopMetrics must be added up, and tested here.
    #expect(Mirror(reflecting: metrics).children.count == Self.counters.count + 3)
  }

  private static var counters: [WritableKeyPath<LoopMetrics, UInt64>] {
    [
      \.ticks, \.flushes, \.performed, \.coalesced, \.dead, \.cancelled, \.posts, \.delivered,
      \.carriedOver, \.wakesSent, \.wakesReceived, \.wakesNeeded, \.pendingTransactions,
      \.pendingPosts, \.pendingElements,
    ]
  }
}

@Suite("LoopGroup: the end")
struct LoopGroupEndTests {
  @Test("shutDown() performs pending work on every loop, and can be called again")  // G2, L5
  func performs() async throws {
    let (group, tally, gate) = (try LoopGroup(name: "pending", count: 4), Tally(), Gate())
    for thread in group.threads {
      try thread.port.post { gate.wait() }
      for _ in 0..<100 { try thread.port.post { tally.increment() } }
    }
    let ending = Task { try await group.shutDown() }
    gate.open(4)
    try await ending.value
    #expect(tally.value == 400)
    try shutDownBlocking(group)
    try await group.shutDown()
    for thread in group.threads {
      #expect(throws: LoopPort.PostError.closed) { try thread.port.post {} }
    }
  }

  @Test("every caller of shutDown() returns after all loops have ended")  // G2
  func concurrent() async throws {
    let (group, ended) = (try LoopGroup(name: "together", count: 3), Tally())
    try await group.forEach { loop in
      let witness = Witness { ended.increment() }
      loop.addTimer(after: .seconds(1000)) { _ in witness.touch() }
    }
    let threads = (0..<4).map { _ in
      TestThread {
        #expect(throws: Never.self) { try group.shutDown() }
        #expect(ended.value == 3)
      }
    }
    try await withThrowingTaskGroup { tasks in
      for _ in 0..<4 {
        tasks.addTask {
          try await group.shutDown()
          #expect(ended.value == 3)
        }
      }
      try await tasks.waitForAll()
    }
    for thread in threads { thread.join() }
  }

  @Test("a task on a loop of the group can shut it down")  // G2, C1
  func fromItself() async throws {
    let group = try LoopGroup(name: "inside", count: 2)
    try await Task(executorPreference: group.next().port) { try await group.shutDown() }.value
    #expect(throws: LoopPort.PostError.closed) { try group.next().port.post {} }
  }

  @Test("blocking shutDown() on a loop of the group traps, and no loop is stopped")  // G2
  func blocksItself() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let group = try LoopGroup(name: "inside", count: 2)
      try await group.next().run { _ in try group.shutDown() }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("LoopGroup.shutDown: must not be called on a loop of the group"))
  }

  @Test("a group that cannot start all threads ends those it started, and throws")  // G2
  func partial() async {
    await #expect(processExitsWith: .success) {
      // libuv leaks a descriptor and some memory of a loop that it cannot open.
      Interposed.forgiveLeaks()
      // libuv's first loop opens shared descriptors, and aborts if it cannot.
      try shutDownBlocking(LoopGroup(count: 1))
      // Enough for eight loops.
      Process.limitDescriptors(to: 42)
      let error = #expect(throws: UVError.self) { try LoopGroup(name: "partial", count: 64) }
      #expect(error?.name == "EMFILE")
      // The descriptors are free again, at once.
      try shutDownBlocking(LoopGroup(count: 6))
      // The system may list a thread for a moment after it was joined.
      #expect(inTime { Process.threadNames?.contains { $0.hasPrefix("partial") } != true })
    }
  }

  @Test("an error of one loop is thrown after all threads have ended")  // G2
  func closeFails() async {
    await #expect(processExitsWith: .success) {
      let (group, trace) = (try LoopGroup(name: "failing", count: 2), Trace())
      let failing = group.threads[0]
      try failing.port.postAndWait {
        guard let loop = EventLoop.current else { return }
        // Open for the rest of the process.
        _ = Unmanaged.passRetained(ForeignHandle(.timer, on: loop.libuvLoop) { _ in })
      }
      try group.threads[1].port.post {
        #expect(throws: UVError.self) { try failing.join() }
        // Gives a shutDown() that does not wait the time to throw.
        for _ in 0..<1000 { TestThread.yield() }
        trace.record("ended")
      }
      let error = #expect(throws: UVError.self) { try shutDownBlocking(group) }
      #expect(error?.name == "EBUSY")
      #expect(trace.events == ["ended"])
      // Without a leak check, because the open loop leaks.
      _exit(EXIT_SUCCESS)
    }
  }

  @Test("a released group stops its loops, which perform the work handed over")  // G2, L5
  func released() throws {
    let tally = Tally()
    var group: LoopGroup? = try LoopGroup(name: "released", count: 3)
    let ports = group?.threads.map(\.port) ?? []
    for port in ports { for _ in 0..<10 { try port.post { tally.increment() } } }
    group = nil
    for port in ports {
      #expect(inTime { (try? port.post {}) == nil })
    }
    #expect(tally.value == 30)
  }

  @Test("a group of no threads traps")  // G2
  func empty() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try LoopGroup(count: 0)
    }
    #expect(said(result, "LoopGroup: count must be positive, got 0; use nil for one per CPU"))
  }
}
