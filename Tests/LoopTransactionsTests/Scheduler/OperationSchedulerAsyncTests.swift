import LoopTransactions
import TestSupport
import Testing

private struct Failure: Error {}

@Suite("OperationScheduler: await")
struct OperationSchedulerAsyncTests {
  @Test("run returns the body's result from a worker, and rethrows its error")
  func values() async throws {
    let scheduler = OperationScheduler.alone()
    let thread = System.thread
    let isElsewhere = try await scheduler.run { _ in System.thread != thread }
    #expect(isElsewhere)
    await #expect(throws: Failure.self) { try await scheduler.run { _ in throw Failure() } }
  }

  @Test("cancelling a task removes its queued operation")  // O5
  func cancelsWaiting() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let ran = Tally()
    let task = Task { try await scheduler.run { _ in _ = ran.increment() } }
    while scheduler.metrics.queued == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(scheduler.metrics.queued == 0)
    frozen.thaw()
    try await scheduler.run { _ in }
    #expect(ran.value == 0)
  }

  @Test("cancelling a task sets isCancelled of its running operation")  // O5
  func cancelsRunning() async throws {
    let scheduler = OperationScheduler.alone()
    let began = Tally()
    let task = Task {
      try await scheduler.run { operation in
        began.increment()
        while !operation.isCancelled { TestThread.yield() }
        return "told"
      }
    }
    while began.value == 0 { await Task.yield() }
    task.cancel()
    #expect(try await task.value == "told")
  }

  @Test("a task that is already cancelled runs nothing")
  func cancelledBefore() async throws {
    let scheduler = OperationScheduler.alone()
    let frozen = FrozenWorkers(scheduler, 2)
    let ran = Tally()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await scheduler.run { _ in _ = ran.increment() }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    frozen.thaw()
    #expect(ran.value == 0)
  }

  // O5
  @Test(
    "a cancelled task runs nothing, although a worker takes its operation at once",
    arguments: [
      false, true,
    ]
  )
  func cancelledBeforeWorker(isAsync: Bool) async throws {
    let start = WorkerStart()
    let scheduler = start.scheduler()
    start.action.withLock { action in
      action = { startWorker in
        startWorker()
        // The worker has taken the operation and ended it before it is cancelled.
        while scheduler.hasOperations { TestThread.yield() }
      }
    }
    let ran = Tally()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      guard isAsync else { return try await scheduler.run { _ in _ = ran.increment() } }
      try await scheduler.run { _ async in _ = ran.increment() }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ran.value == 0 && !scheduler.hasOperations)
  }

  @Test("an operation has its task's priority by default")  // C1
  func priorities() {
    #expect(OperationPriority(TaskPriority.background) == .background)
    #expect(OperationPriority(TaskPriority.medium) == .normal)
    #expect(OperationPriority(TaskPriority.high) == .high)
    #expect(OperationPriority(TaskPriority.low) < .normal)
    #expect(OperationPriority(TaskPriority.low) > .background)
    #expect(OperationPriority(TaskPriority(rawValue: 255)) == .high)
  }

  // O12
  @Test("the body's captures are released on the worker before the task continues")
  func releases() async throws {
    let scheduler = OperationScheduler.alone()
    var orders: Set<[String]> = []
    for _ in 0..<100 {
      let log = Log()
      try await scheduler.run(Self.holding(log))
      log.add("went on")
      orders.insert(log.events)
    }
    #expect(orders == [["ran", "released there", "went on"]])
  }

  /// Returns a body with the only reference to a witness that logs where it is
  /// released.
  private static func holding(_ log: Log) -> @Sendable (ScheduledOperation) -> Void {
    let worker = Locked<UInt?>(nil)
    let witness = Witness {
      let isThere = worker.withLock { $0 } == System.thread
      log.add(isThere ? "released there" : "released elsewhere")
    }
    return { _ in
      worker.withLock { $0 = System.thread }
      log.add("ran")
      witness.touch()
    }
  }

  @Test("a thousand concurrent tasks each get their own result")
  func many() async throws {
    let scheduler = OperationScheduler.alone(workers: 2)
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<1000 { group.addTask { try await scheduler.run { _ in number } } }
      return try await group.reduce(0, +)
    }
    #expect(sum == 499_500)
  }
}
