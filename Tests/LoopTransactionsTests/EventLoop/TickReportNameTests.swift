import TestSupport
import Testing

@testable import LoopTransactions
@testable import LoopTransactionsTesting

private final class Label: Sendable {}

/// Notes the name of the current task wherever an executor handles a job.
private final class NamingExecutor: SerialExecutor {
  private let state = Locked<(job: UnownedJob?, found: [String?])>((nil, []))
  private let hasJob = Gate()

  var found: [String?] { state.withLock { $0.found } }

  func note() { state.withLock { $0.found.append(Task<Never, Never>.name) } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    note()
    state.withLock { $0.job = job }
    hasJob.open()
  }

  /// Waits for a job and runs it.
  func runFirst() {
    guard hasJob.waitInTime(), let job = state.withLock({ $0.job }) else { return }
    note()
    job.runSynchronously(on: asUnownedSerialExecutor())
    note()
  }
}

private actor NamedActor {
  private nonisolated let executor: NamingExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: NamingExecutor) { self.executor = executor }

  func run() { executor.note() }
}

@Suite("The names in tick reports")
struct TickReportNameTests {
  @Test("each kind of work has a name", arguments: Work.Kind.allCases)  // X2
  func names(_ kind: Work.Kind) throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      var found: Set<String> = []
      loop.tickHandler = { found.insert($0.longest?.work.name ?? "") }
      let hold = { stepped.spend(.milliseconds(10)) }
      let label = Label()
      let named: String
      switch kind {
      case .post:
        loop.post { hold() }
        named = place(#line - 1)
      case .timer:
        loop.addTimer(after: .milliseconds(1)) { _ in hold() }
        named = place(#line - 1)
      case .observer:
        loop.addObserver(for: .beforeWaiting, repeats: false) { _ in hold() }
        named = place(#line - 1)
      case .element:
        let queue = RunLoopQueue<Label>(on: loop) { _, _ in hold() }
        named = place(#line - 1)
        queue.enqueue(label)
      case .idleBlock:
        loop.whenIdle { hold() }
        named = place(#line - 1)
      case .transaction:
        nonisolated(unsafe) let hold = hold
        loop.commit(label, Selector<Label>("hold once") { _ in hold() })
        named = "Label.hold once"
      case .completion:
        let transaction = AsyncTransaction(on: loop, name: "thumbnails")
        transaction.whenComplete { _ in hold() }
        transaction.commit()
        named = "thumbnails"
      case .event, .job, .operation, .other: return
      }
      stepped.advance(by: .milliseconds(1))
      for _ in 0..<3 { stepped.step() }
      #expect(found.contains(named), "\(found)")
    }
  }

  @Test("a descriptor's event is named by the place that watches it")  // X2, E1
  func events() throws {
    let loop = try EventLoop()
    defer { try? loop.close() }
    let pair = SocketPair(pipe: true)
    var (found, counts): (Set<String>, Int) = ([], 0)
    loop.tickHandler = {
      counts += $0.count(of: .event)
      found.insert($0.longest?.work.name ?? "")
    }
    let hold = {
      let end = loop.now.advanced(by: .milliseconds(20))
      while loop.now < end {}
    }
    let watcher = try loop.watch(pair.near, for: .readable) { _ in
      hold()
      loop.stop()
    }
    let watched = "\(#fileID):\(#line - 4)"
    pair.send()
    loop.run()
    watcher.cancel()
    #expect(counts == 1)
    #expect(found.contains(watched), "\(found)")
  }

  @Test("a worker publishes the name of the operation that it runs")  // X2
  func operations() throws {
    let loop = try EventLoop()
    defer { try? loop.close() }
    loop.tickHandler = { _ in }
    let found = Locked("")
    let transaction = AsyncTransaction(on: loop, scheduler: OperationScheduler("publisher"))
    transaction.add("decode") { _ in
      let work = WorkSlot.ofThisThread.map { Work(OwnerWord(rawValue: $0.work)) }
      found.withLock { $0 = work.map { "\($0)" } ?? "none" }
    }
    transaction.whenComplete { _ in loop.stop() }
    transaction.commit()
    loop.waitsForPosts = true
    loop.run()
    #expect(found.withLock { $0 } == "operation decode")
  }

  /// The work that the calling thread publishes.
  private static var published: String {
    WorkSlot.ofThisThread.map { "\(Work(OwnerWord(rawValue: $0.work)))" } ?? "none"
  }

  /// Calls `start` with the port of a loop that runs until it is stopped.
  private func whileRunning(_ start: (LoopPort) throws -> Void) throws {
    let loop = try EventLoop()
    loop.tickHandler = { _ in }
    loop.waitsForPosts = true
    try start(loop.port)
    loop.run()
    try loop.close()
  }

  @Test("an operation that a task awaits is named by the task, with either body")  // X2, O12
  func awaited() throws {
    let found = Locked<[String]>([])
    let note: @Sendable () -> Void = { found.withLock { $0.append(Self.published) } }
    try whileRunning { port in
      let scheduler = OperationScheduler("publisher")
      Task(name: "fetch", executorPreference: ownThreads) {
        try await scheduler.run { _ in note() }
        try await scheduler.run { _ async in note() }
        port.stop()
      }
    }
    #expect(found.withLock { $0 } == ["operation fetch", "operation fetch"])
  }

  @Test("an operation without a name and a job on a worker have the scheduler's name")  // X2
  func anonymous() throws {
    let found = Locked<[String]>([])
    let note: @Sendable () -> Void = { found.withLock { $0.append(Self.published) } }
    try whileRunning { port in
      let scheduler = OperationScheduler("publisher")
      scheduler.add { _ in
        note()
        Task(name: "fetch", executorPreference: scheduler) {
          note()
          port.stop()
        }
      }
    }
    #expect(found.withLock { $0 } == ["operation publisher", "job publisher"])
  }

  @Test("a posted function and a job of a task on the loop have no name")  // X2
  func unnamed() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      var found: [String] = []
      loop.tickHandler = { found += $0.longest.map { ["\($0.work)"] } ?? [] }
      let spend: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
        guard let context else { return }
        Unmanaged<SteppedLoop>.fromOpaque(context).takeUnretainedValue().spend(.milliseconds(10))
      }
      try loop.port.post(spend, context: Unmanaged.passUnretained(stepped).toOpaque())
      stepped.step()
      nonisolated(unsafe) let spender = stepped
      Pinned(on: loop.port).beginHere(0, with: Pinned(on: loop.port)) {
        spender.spend(.milliseconds(10))
      }
      stepped.step()
      #expect(found == ["post", "job"])
      loop.tickHandler = nil
    }
  }

  @Test("no task is current while an executor takes a job, or before and after it runs it")  // X2
  func noCurrentTask() {
    let executor = NamingExecutor()
    let named = NamedActor(executor)
    Task(name: "named") { await named.run() }
    // The test runs in a task, a new thread in none.
    TestThread.run { executor.runFirst() }
    #expect(executor.found == [nil, nil, "named", nil])
  }

  @Test("a serial queue's closure is named by its queue")  // X2, O5
  func queues() throws {
    let found = Locked("")
    try whileRunning { port in
      SerialQueue("disk", on: OperationScheduler("publisher")).add {
        found.withLock { $0 = Self.published }
        port.stop()
      }
    }
    #expect(found.withLock { $0 } == "operation disk")
  }

  @Test("calls from other threads and tasks are named by their places")  // X2
  func calls() throws {
    let found = Locked<[String]>([])
    let note: @Sendable () -> Void = { found.withLock { $0.append(Self.published) } }
    var places: [String] = []
    try whileRunning { port in
      try port.post(after: .milliseconds(1)) {
        note()
        port.stop()
      }
      places.append(place(#line - 4))
    }
    let thread = try LoopThread(name: "caller")
    try whileRunning { port in
      try thread.port.post {
        try? port.postAndWait { note() }
        port.stop()
      }
      places.append(place(#line - 3))
    }
    thread.stop()
    try thread.join()
    try whileRunning { port in
      // The test blocks a thread of Swift's pool, and so may others.
      Task(executorPreference: ownThreads) {
        try await port.run { _ in note() }
        port.stop()
      }
      places.append(place(#line - 3))
    }
    #expect(found.withLock { $0 } == places.map { "post \($0)" })
  }

  private func place(_ line: UInt) -> String { "\(#fileID):\(line)" }
}
