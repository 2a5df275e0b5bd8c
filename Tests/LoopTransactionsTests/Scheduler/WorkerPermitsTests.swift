import LoopTransactions
import TestSupport
import Testing

@Suite("WorkerPermits")
struct WorkerPermitsTests {
  // O1
  @Test("a scheduler that was refused a permit runs once another scheduler releases its permit")
  func late() {
    let permits = WorkerPermits(limit: 1)
    let first = OperationScheduler("first", workerLimit: 1, permits: permits)
    let second = OperationScheduler("second", workerLimit: 1, permits: permits)
    let frozen = FrozenWorkers(first, 1)
    let ran = Tally()
    let done = Gate()
    for _ in 0..<3 {
      second.add { _ in
        ran.increment()
        done.open()
      }
    }
    #expect(second.metrics.queued == 3 && ran.value == 0)
    frozen.thaw()
    #expect(done.waitInTime(3))
  }

  // O1
  @Test("a stalled limit is reported once, with the operations that hold it")
  func stall() throws {
    let reports = Log()
    let permits = WorkerPermits(limit: 2, stallTime: 1 << 62) { reports.add($0) }
    let cpu = OperationScheduler("cpu", workerLimit: 2, permits: permits)
    let io = OperationScheduler("io", workerLimit: 1, permits: permits)
    for _ in 0..<2 {
      let (began, goOn) = (Gate(), Gate())
      let queue = SerialQueue("disk", on: cpu)
      queue.add {
        began.open()
        goOn.wait()
      }
      #expect(began.waitInTime())
      let frozen = FrozenWorkers(cpu, 1)
      #expect(!permits.check())
      let done = Gate()
      for _ in 0..<3 { io.add { _ in done.open() } }
      // The first check only counts.
      #expect(permits.check() && permits.check() && permits.check())
      frozen.thaw()
      goOn.open()
      #expect(done.waitInTime(3))
      #expect(inTime { [cpu, io].allSatisfy { $0.metrics.awake == 0 } })
      #expect(!permits.check())
    }
    #expect(reports.events.count == 2 && Set(reports.events).count == 1)
    #expect(
      reports.events.first == """
        OperationScheduler: no operation has begun or ended for a second or more, because \
        operations hold all 2 permits of processWorkerLimit: cpu (2 running: disk); waiting for a \
        permit: io (3 queued). An operation must not block until an operation of another \
        scheduler has run: await it, or raise processWorkerLimit
        """
    )
  }

  // O1
  @Test("operations that end between two checks are no stall")
  func noStall() {
    let reports = Log()
    let permits = WorkerPermits(limit: 1, stallTime: 1 << 62) { reports.add($0) }
    let busy = OperationScheduler("busy", workerLimit: 1, permits: permits)
    let other = OperationScheduler("other", workerLimit: 1, permits: permits)
    let (began, goOn) = (Gate(), Gate())
    for _ in 0..<3 {
      busy.add { _ in
        began.open()
        goOn.wait()
      }
    }
    #expect(began.waitInTime())
    let done = Gate()
    other.add { _ in done.open() }
    #expect(permits.check())
    // The operation ends, so the worker may take another one or give up its permit.
    goOn.open(3)
    #expect(done.waitInTime())
    permits.check()
    #expect(reports.events.isEmpty)
  }

  // O1
  @Test("an operation that ends on a waiting thread is a change")
  func endsElsewhere() {
    let reports = Log()
    let permits = WorkerPermits(limit: 1, stallTime: 1 << 62) { reports.add($0) }
    let first = OperationScheduler("first", workerLimit: 1, permits: permits)
    let second = OperationScheduler("second", workerLimit: 1, permits: permits)
    let (frozen, began, goOn, done) = (FrozenWorkers(first, 1), Gate(), Gate(), Gate())
    second.add { _ in done.open() }
    let thread = TestThread {
      try? withLoop { loop in
        let transaction = AsyncTransaction(on: loop, scheduler: first)
        transaction.add { _ in
          began.open()
          goOn.wait()
        }
        transaction.waitUntilComplete()
      }
    }
    #expect(began.waitInTime())
    #expect(permits.check())
    goOn.open()
    thread.join()
    #expect(permits.check())
    #expect(reports.events.isEmpty)
    frozen.thaw()
    #expect(done.waitInTime())
  }

  // O1
  @Test("a limit that stalls again after a change is reported again")
  func stallsAgain() {
    let reports = Log()
    let permits = WorkerPermits(limit: 1, stallTime: 1 << 62) { reports.add($0) }
    let first = OperationScheduler("first", workerLimit: 1, permits: permits)
    let second = OperationScheduler("second", workerLimit: 1, permits: permits)
    let frozen = FrozenWorkers(first, 1)
    let (done, queued) = (Gate(), (0..<2).map { _ in second.add { _ in } })
    second.add { _ in done.open() }
    for operation in queued {
      for _ in 0..<3 { #expect(permits.check()) }
      #expect(operation.cancel())
    }
    #expect(reports.events.count == 2)
    frozen.thaw()
    #expect(done.waitInTime())
  }

  // O1
  @Test("stalls are noticed without a call, also after a time without a stall")
  func noticed() {
    let report = Gate()
    let permits = WorkerPermits(limit: 1, stallTime: 1000) { _ in report.open() }
    let first = OperationScheduler("first", workerLimit: 1, permits: permits)
    let second = OperationScheduler("second", workerLimit: 1, permits: permits)
    for _ in 0..<20 {
      let frozen = FrozenWorkers(first, 1)
      let done = Gate()
      second.add { _ in done.open() }
      #expect(report.waitInTime())
      frozen.thaw()
      #expect(done.waitInTime())
      #expect(inTime { second.metrics.awake == 0 && !permits.check() })
    }
  }

  // O1
  @Test("a raised limit admits waiting schedulers immediately; a lowered limit applies later")
  func limitChanges() {
    let permits = WorkerPermits(limit: 1)
    let schedulers = (0..<3).map {
      OperationScheduler("part \($0)", workerLimit: 1, permits: permits)
    }
    let frozen = FrozenWorkers(schedulers[0], 1)
    let (began, goOn, done) = (Gate(), Gate(), Gate())
    for scheduler in schedulers.dropFirst() {
      scheduler.add { _ in
        began.open()
        goOn.wait()
      }
    }
    permits.limit = 3
    #expect(began.waitInTime(2))
    permits.limit = 1
    let watch = RunningCount()
    for number in 0..<300 {
      schedulers[number % 3].add { _ in
        watch.pass()
        done.open()
      }
    }
    goOn.open(2)
    frozen.thaw()
    #expect(done.waitInTime(300))
    // Each worker that was busy when the limit was lowered may have taken one
    // more.
    #expect(permits.limit == 1)
    let after = RunningCount()
    #expect(inTime { schedulers.allSatisfy { $0.metrics.awake == 0 } })
    for number in 0..<300 {
      schedulers[number % 3].add { _ in
        after.pass()
        done.open()
      }
    }
    #expect(done.waitInTime(300))
    #expect(after.most == 1)
  }

  // O1
  @Test("changing limits while many schedulers are busy loses no operation")
  func limitChangesUnderLoad() {
    let permits = WorkerPermits(limit: 2)
    let schedulers = (0..<4).map {
      OperationScheduler("part \($0)", workerLimit: 2, permits: permits)
    }
    let watch = RunningCount()
    let done = Gate()
    let count = 4000
    let changes = TestThread {
      for round in 0..<400 {
        permits.limit = 1 + round % 4
        schedulers[round % 4].workerLimit = 1 + round % 3
        TestThread.yield()
      }
      permits.limit = 2
    }
    for number in 0..<count {
      schedulers[number % 4].add { _ in
        watch.pass()
        done.open()
      }
    }
    #expect(done.waitInTime(count))
    changes.join()
    #expect(watch.most <= 4)
    #expect(schedulers.allSatisfy { $0.metrics.queued == 0 })
  }

  // O1
  @Test("schedulers share the process's limit, and each makes progress")
  func processCap() {
    let permits = WorkerPermits(limit: 2)
    let schedulers = (0..<4).map {
      OperationScheduler("part \($0)", workerLimit: 2, permits: permits)
    }
    let running = RunningCount()
    let done = Gate()
    for number in 0..<2000 {
      schedulers[number % 4].add { _ in
        running.pass()
        done.open()
      }
    }
    #expect(done.waitInTime(2000))
    #expect(running.most <= 2)
  }

  // O1
  @Test("a scheduler with endless work releases its permit to another in time")
  func permitsTakeTurns() {
    let permits = WorkerPermits(limit: 1)
    let busy = OperationScheduler("busy", workerLimit: 1, permits: permits)
    let other = OperationScheduler("other", workerLimit: 1, permits: permits)
    let isOver = Locked(false)
    @Sendable func again(_ operation: ScheduledOperation) {
      if !isOver.withLock({ $0 }) { busy.add(again) }
    }
    busy.add(again)
    let ran = Gate()
    other.add { _ in ran.open() }
    #expect(ran.waitInTime())
    isOver.withLock { $0 = true }
  }
}
