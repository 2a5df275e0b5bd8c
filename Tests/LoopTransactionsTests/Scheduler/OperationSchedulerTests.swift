import LoopTransactions
import TestSupport
import Testing

@Suite("OperationScheduler")
struct OperationSchedulerTests {
  // O2
  @Test("operations run by priority, and with equal priority in the order added")
  func byPriority() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let log = Log()
    let done = Gate()
    for (name, priority) in [("a", 0), ("b", 5), ("c", 0), ("d", 127), ("e", 5), ("f", -128)] {
      scheduler.add(priority: OperationPriority(priority)) { _ in
        log.add(name)
        done.open()
      }
    }
    frozen.thaw()
    for _ in 0..<6 { #expect(done.waitInTime()) }
    #expect(log.events == ["d", "b", "e", "a", "c", "f"])
  }

  // O2
  @Test("with two workers, the highest priority is among the first two even if it was added last")
  func byPriorityOfTwo() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let frozen = FrozenWorkers(scheduler, 2)
    let log = Log()
    let (began, goOn, done) = (Gate(), Gate(), Gate())
    for (name, priority) in [("a", 0), ("b", 0), ("c", 5), ("d", 0), ("urgent", 64)] {
      scheduler.add(priority: OperationPriority(priority)) { _ in
        log.add(name)
        began.open()
        goOn.wait()
        done.open()
      }
    }
    frozen.thaw()
    for _ in 0..<2 { #expect(began.waitInTime()) }
    // The other worker takes the oldest operation, or the one with the next
    // highest priority.
    #expect(log.events.contains("urgent") && !log.events.contains("b"))
    goOn.open(5)
    for _ in 0..<5 { #expect(done.waitInTime()) }
  }

  // O2
  @Test(
    "a priority changed while queued takes effect, and moves the operation to the end of its level"
  )
  func reprioritised() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let log = Log()
    let done = Gate()
    let operations = ["a", "b", "c", "d"].map { name in
      scheduler.add { _ in
        log.add(name)
        done.open()
      }
    }
    #expect(operations[2].setPriority(.high))
    #expect(operations[0].setPriority(.high))
    #expect(operations[3].setPriority(.background))
    frozen.thaw()
    for _ in 0..<4 { #expect(done.waitInTime()) }
    #expect(log.events == ["c", "a", "b", "d"])
    #expect(!operations[0].setPriority(.normal))
  }

  // O5
  @Test("an operation cancelled while queued never runs, and its captures are released immediately")
  func cancelled() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let log = Log()
    let operation: ScheduledOperation = {
      let witness = Witness { log.add("released") }
      return scheduler.add { _ in
        witness.touch()
        log.add("ran")
      }
    }()
    #expect(operation.cancel())
    log.add("cancelled")
    #expect(!operation.cancel())
    frozen.thaw()
    let done = Gate()
    scheduler.add { _ in done.open() }
    #expect(done.waitInTime())
    #expect(log.events == ["released", "cancelled"])
    #expect(scheduler.metrics.cancelled == 1)
  }

  // O5
  @Test("an operation cancelled while it runs sees isCancelled, and continues to its end")
  func cancelledWhileRunning() {
    let scheduler = OperationScheduler.alone()
    let began = Gate()
    let goOn = Gate()
    let ended = Gate()
    let log = Log()
    let operation = scheduler.add { operation in
      log.add("\(operation.isCancelled)")
      began.open()
      goOn.wait()
      log.add("\(operation.isCancelled)")
      ended.open()
    }
    #expect(began.waitInTime())
    #expect(!operation.cancel())
    goOn.open()
    #expect(ended.waitInTime())
    #expect(log.events == ["false", "true"])
  }

  // O3
  @Test(
    "under endless urgent work, the oldest operation of low priority runs",
    arguments: [1, 2, 4]
  )
  func noStarvation(workers: Int) {
    let scheduler = OperationScheduler.alone(workers: workers)
    let ahead = Tally()
    let ran = Gate()
    let isOver = Locked(false)
    @Sendable func urgent(_ operation: ScheduledOperation) {
      ahead.increment()
      if !isOver.withLock({ $0 }) { scheduler.add(priority: .interactive, urgent) }
    }
    // Add twice as many operations as workers, so that urgent work is always
    // queued.
    for _ in 0..<(workers * 2) { scheduler.add(priority: .interactive, urgent) }
    let between = Locked(0)
    // A worker adds the last operation. If it is the only worker, no other
    // operation runs between the two readings of `ahead`.
    scheduler.add(priority: .interactive) { _ in
      let start = ahead.value
      scheduler.add(priority: OperationPriority(-128)) { _ in
        between.withLock { $0 = ahead.value - start }
        ran.open()
      }
    }
    #expect(ran.waitInTime())
    isOver.withLock { $0 = true }
    // The aging slot takes one turn for each older operation, and a batch runs
    // between two turns. With several workers, the others may preempt the
    // worker in the slot. The bound holds only for a single worker.
    let older = workers * 2 + 1
    if workers == 1 { #expect(between.withLock { $0 } <= older * 33) }
  }

  // O1. A worker that expects short operations takes several at a time.
  @Test("operations in a batch behind a blocked one are run by another worker")
  func heldUp() {
    let scheduler = OperationScheduler.alone(workers: 2)
    for _ in 0..<5 {
      let frozen = FrozenWorkers(scheduler, 2)
      for _ in 0..<1000 { scheduler.add { _ in } }
      // The first operation waits for the ones added after it.
      let (others, done) = (Gate(), Gate())
      scheduler.add { _ in
        for _ in 0..<8 { others.wait() }
        done.open()
      }
      for _ in 0..<8 { scheduler.add { _ in others.open() } }
      frozen.thaw()
      #expect(done.waitInTime())
    }
  }

  // O1, O3
  @Test("operations in a batch behind a blocked one run even if the other workers are always busy")
  func heldUpUnderLoad() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let frozen = FrozenWorkers(scheduler, 2)
    for _ in 0..<1000 { scheduler.add { _ in } }
    let (gate, ran) = (Gate(), Gate())
    let isOver = Locked(false)
    @Sendable func again(_ operation: ScheduledOperation) {
      if !isOver.withLock({ $0 }) { scheduler.add(priority: .background, again) }
    }
    for _ in 0..<4 { scheduler.add(priority: .background, again) }
    scheduler.add { _ in gate.wait() }
    for _ in 0..<8 { scheduler.add { _ in ran.open() } }
    frozen.thaw()
    for _ in 0..<8 { #expect(ran.waitInTime()) }
    gate.open()
    isOver.withLock { $0 = true }
  }

  // O5
  @Test("an operation that is in a batch but has not begun can be cancelled and moved")
  func cancelledBehind() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    for _ in 0..<1000 { scheduler.add { _ in } }
    let (began, gate, done) = (Gate(), Gate(), Gate())
    let log = Log()
    scheduler.add { _ in
      began.open()
      gate.wait()
    }
    let behind = ["a", "b", "c"].map { name in
      scheduler.add { _ in
        log.add(name)
        done.open()
      }
    }
    frozen.thaw()
    began.wait()
    #expect(behind[0].cancel() && !behind[0].cancel())
    #expect(behind[2].setPriority(.high))
    gate.open()
    for _ in 0..<2 { #expect(done.waitInTime()) }
    #expect(log.events == ["c", "b"] || log.events == ["b", "c"])
    #expect(scheduler.metrics.cancelled == 1)
  }

  // O12
  @Test("an operation's captures are released on the worker that ran it")
  func releasedOnWorker() {
    let scheduler = OperationScheduler.alone()
    // Block the workers until this thread has released its reference.
    let frozen = FrozenWorkers(scheduler, 2)
    let threads = Locked<[UInt]>([])
    let done = Gate()
    do {
      let witness = Witness {
        threads.withLock { $0.append(System.thread) }
        done.open()
      }
      scheduler.add { _ in
        witness.touch()
        threads.withLock { $0.append(System.thread) }
      }
    }
    frozen.thaw()
    #expect(done.waitInTime())
    let seen = threads.withLock { $0 }
    #expect(seen.count == 2 && seen[0] == seen[1] && seen[0] != System.thread)
  }

  @Test("printed metrics say whether waits were measured")
  func description() {
    var metrics = SchedulerMetrics()
    metrics.added = 7
    #expect("\(metrics)".hasSuffix("added: 7, cancelled: 0, waits: not measured"))
    metrics.waits = [
      SchedulerMetrics.Wait(priority: .high, count: 2, total: 3_000_000, longest: 2_000_000)
    ]
    let waits = "waits: 2 at priority 64 took 0.003 seconds, at most 0.002 seconds"
    #expect("\(metrics)".hasSuffix(waits))
  }

  @Test("metrics report the scheduler's work, and how long each priority waited")  // X1
  func metrics() {
    let scheduler = OperationScheduler.alone(workers: 1)
    scheduler.measuresWaits = true
    #expect(scheduler.metrics == SchedulerMetrics())
    let frozen = FrozenWorkers(scheduler, 1)
    let done = Gate()
    for _ in 0..<3 { scheduler.add(priority: .high) { _ in done.open() } }
    let before = scheduler.metrics
    #expect(before.queued == 3 && before.running == 1 && before.added == 4)
    #expect(before.workers == 1 && before.awake == 1)
    frozen.thaw()
    for _ in 0..<3 { #expect(done.waitInTime()) }
    let waits = scheduler.metrics.waits
    #expect(waits.map(\.priority) == [.interactive, .high])
    #expect(waits.map(\.count) == [1, 3])
    #expect(waits.allSatisfy { $0.longest > 0 && $0.longest <= $0.total })
    scheduler.measuresWaits = false
    #expect(scheduler.metrics.waits.isEmpty)
  }

  @Test("adding an operation allocates only its closure", .enabled(if: Interposed.isAvailable))
  func allocations() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let tally = Tally()
    // Allocates the memory for this many operations in advance.
    let operations = (0..<1000).map { _ in scheduler.add { _ in } }
    for operation in operations { operation.cancel() }
    let plain = Interposed.allocations { for _ in 0..<500 { scheduler.add { _ in } } }
    let capturing = Interposed.allocations {
      for number in 0..<500 { scheduler.add { _ in tally.add(number) } }
    }
    #expect(plain == 0)
    #expect(capturing == 500)
    frozen.thaw()
  }

  // L12
  @Test("a parent's scheduler traps in a child process with the reason")
  func forked() async {
    await #expect(processExitsWith: .success) {
      let scheduler = OperationScheduler.alone()
      let ending = Process.fork { scheduler.add { _ in } }
      #expect(ending.status < 0)
      #expect(ending.standardError.contains("belongs to the parent process"))
      // Creating a scheduler starts a thread. ThreadSanitizer ends a forked
      // child that starts a thread.
      guard !Interposed.isSanitized else { return }
      let letGo = Process.fork { _ = OperationScheduler.alone("child") }
      #expect(letGo.status == 0)
    }
  }
}
