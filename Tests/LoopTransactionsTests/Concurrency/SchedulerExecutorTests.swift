import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("OperationScheduler as an executor")
struct SchedulerExecutorTests {
  @Test("tasks that prefer a scheduler run on its workers, highest priority first")  // C1, O2
  func priorities() async {
    let scheduler = OperationScheduler("executor", workerLimit: 1)
    let (trace, begun, gate, done) = (Trace(), Gate(), Gate(), Gate())
    scheduler.add { _ in
      begun.open()
      gate.wait()
    }
    await waitOff(begun)
    let priorities: [(String, TaskPriority)] = [
      ("background", .background), ("low", .low), ("medium", .medium), ("high", .high),
    ]
    let tasks = priorities.map { name, priority in
      Task(executorPreference: scheduler, priority: priority) {
        trace.record(name)
        if trace.events.count == 4 { done.open() }
      }
    }
    // Do not await the tasks before they are queued, because that would raise
    // their priority.
    gate.open()
    await waitOff(done)
    // The only worker's aging slot takes the oldest operation from time to
    // time, but not among the first four.
    #expect(trace.events == ["high", "medium", "low", "background"])
    for task in tasks { await task.value }
  }

  @Test("a task returns to the workers after each suspension")  // C1
  func stays() async {
    let scheduler = OperationScheduler("executor")
    let before = scheduler.metrics.added
    await withTaskExecutorPreference(scheduler) {
      for _ in 0..<100 { await Task.yield() }
    }
    #expect(scheduler.metrics.added - before >= 100)
  }

  @Test(
    "enqueuing a job on the workers does not allocate",
    .enabled(if: Interposed.isAvailable && Interposed.isOptimized)
  )  // C1
  func allocations() async {
    let scheduler = OperationScheduler("executor", workerLimit: 1)
    let (begun, gate, done, ran) = (Gate(), Gate(), Gate(), Tally())
    // This operation keeps the only worker busy. By then the worker has
    // allocated its own memory.
    scheduler.add { _ in
      begun.open()
      gate.wait()
    }
    await waitOff(begun)
    let collector = JobCollector(100)
    let body: @Sendable () async -> Void = { if ran.increment() == 100 { done.open() } }
    let begin: @Sendable (any TaskExecutor) -> Int = { executor in
      Interposed.allocations {
        for _ in 0..<100 { Task(executorPreference: executor, operation: body) }
      }
    }
    // A task's own allocations do not depend on its executor.
    let (least, own) = (Tally(), Tally())
    TestThread.run {
      least.add(begin(collector))
      own.add(begin(scheduler))
    }
    gate.open()
    await waitOff(done)
    // Each task allocates at least once. Otherwise nothing was counted.
    #expect(least.value >= 100)
    #expect(own.value == least.value)
  }

  @Test("the last task of a scheduler without other references runs")  // C1
  func outlives() async {
    let ran = Tally()
    await Task(executorPreference: OperationScheduler("executor")) { _ = ran.increment() }.value
    #expect(ran.value == 1)
  }

  @Test("a scheduler without other references lives until its job has run")  // C1
  func held() async {
    let brief = Brief()
    #expect(await brief.hasScheduler)
    #expect(inTime { !brief.executor.hasScheduler })
  }
}

/// An actor that runs each job on a new scheduler.
private actor Brief {
  nonisolated let executor = BriefExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  var hasScheduler: Bool { executor.hasScheduler }
}

/// Hands each job to a scheduler that is released before the job begins. This
/// is an actor's executor, because a task would retain its preferred executor
/// itself.
// Not a task's preferred executor, because the task retains that itself.
private final class BriefExecutor: SerialExecutor {
  private struct Last { weak var scheduler: OperationScheduler? }

  private let last = Locked(Last())

  /// True if the last job's scheduler is alive.
  var hasScheduler: Bool { last.withLock { $0.scheduler != nil } }

  func enqueue(_ job: consuming ExecutorJob) {
    let gate = Gate()
    hand(UnownedJob(job), gate)
    gate.open()
  }

  private func hand(_ job: UnownedJob, _ gate: Gate) {
    let scheduler = OperationScheduler("brief", workerLimit: 1)
    scheduler.add { _ in gate.wait() }
    last.withLock { $0.scheduler = scheduler }
    scheduler.enqueue(ExecutorJob(job))
  }
}
