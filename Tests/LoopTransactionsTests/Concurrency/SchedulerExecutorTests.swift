import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("A scheduler as an executor")
struct SchedulerExecutorTests {
  @Test("tasks that prefer a scheduler run on its workers, the most urgent first")  // C1, O2
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
    // Not awaited before they are queued: that would raise them.
    gate.open()
    await waitOff(done)
    // One worker: its lane takes the oldest now and then, and not so early.
    #expect(trace.events == ["high", "medium", "low", "background"])
    for task in tasks { await task.value }
  }

  @Test("a task stays on the workers after each suspension, and comes home to an actor")  // C1
  func stays() async {
    let scheduler = OperationScheduler("executor")
    let before = scheduler.metrics.added
    await withTaskExecutorPreference(scheduler) {
      for _ in 0..<100 { await Task.yield() }
    }
    #expect(scheduler.metrics.added - before >= 100)
  }

  @Test(
    "a job is handed to the workers without an allocation",
    .enabled(if: Interposed.isAvailable && Interposed.isOptimized)
  )  // C1
  func allocations() async {
    let scheduler = OperationScheduler("executor", workerLimit: 1)
    let (begun, gate, done, ran) = (Gate(), Gate(), Gate(), Tally())
    // The only worker is kept, and so has allocated what it needs.
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
    // What a task itself allocates, whoever takes its job.
    let (least, own) = (Tally(), Tally())
    TestThread.run {
      least.add(begin(collector))
      own.add(begin(scheduler))
    }
    gate.open()
    await waitOff(done)
    // At least the task itself: else nothing was counted.
    #expect(least.value >= 100)
    #expect(own.value == least.value)
  }

  @Test("the last task of a scheduler that nobody holds is run")  // C1
  func outlives() async {
    let ran = Tally()
    await Task(executorPreference: OperationScheduler("executor")) { _ = ran.increment() }.value
    #expect(ran.value == 1)
  }

  @Test("a scheduler that nobody else holds lives until its job has run")  // C1
  func held() async {
    let brief = Brief()
    #expect(await brief.hasScheduler)
    #expect(inTime { !brief.executor.hasScheduler })
  }
}

/// An actor each of whose jobs has a scheduler of its own.
private actor Brief {
  nonisolated let executor = BriefExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  var hasScheduler: Bool { executor.hasScheduler }
}

/// Hands each job to a scheduler that is dropped before the job begins.
// Not a task's preferred executor: a task holds that itself.
private final class BriefExecutor: SerialExecutor {
  private struct Last { weak var scheduler: OperationScheduler? }

  private let last = Locked(Last())

  /// Whether the last job's scheduler lives.
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
