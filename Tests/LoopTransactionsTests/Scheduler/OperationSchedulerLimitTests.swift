import LoopTransactions
import TestSupport
import Testing

@Suite("OperationScheduler: worker limit")
struct OperationSchedulerLimitTests {
  // O1
  @Test("the number of operations running at once never exceeds the limit", arguments: [1, 2, 5])
  func limited(limit: Int) {
    let scheduler = OperationScheduler.alone(workers: limit)
    let running = RunningCount()
    let done = Gate()
    for _ in 0..<2000 {
      scheduler.add { _ in
        running.pass()
        done.open()
      }
    }
    for _ in 0..<2000 { #expect(done.waitInTime()) }
    #expect(running.most <= limit)
  }

  // O1, O3
  @Test("the worker limit may be as high as Int.max")
  func highestLimit() {
    let scheduler = OperationScheduler.alone(workers: .max)
    let done = Gate()
    for _ in 0..<100 { scheduler.add { _ in done.open() } }
    for _ in 0..<100 { #expect(done.waitInTime()) }
    scheduler.workerLimit = 1
  }

  // O1
  @Test("a lowered limit applies from the next operation on, a raised limit immediately")
  func limitChanges() {
    let scheduler = OperationScheduler.alone(workers: 1)
    #expect(scheduler.workerLimit == 1)
    let first = FrozenWorkers(scheduler, 1)
    let (began, goOn, done) = (Gate(), Gate(), Gate())
    for _ in 0..<2 {
      scheduler.add { _ in
        began.open()
        goOn.wait()
      }
    }
    scheduler.workerLimit = 3
    for _ in 0..<2 { #expect(began.waitInTime()) }
    scheduler.workerLimit = 1
    let watch = RunningCount()
    for _ in 0..<200 {
      scheduler.add { _ in
        watch.pass()
        done.open()
      }
    }
    goOn.open(2)
    while scheduler.metrics.awake > 1 { TestThread.yield() }
    // The remaining worker is blocked, and the workers above the limit took
    // nothing.
    #expect(scheduler.metrics.queued == 200 && watch.most == 0)
    first.thaw()
    for _ in 0..<200 { #expect(done.waitInTime()) }
    #expect(watch.most == 1)
  }

  // O4
  @Test("interactive mode lowers the limit by one immediately, but never below one")
  func interactive() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let frozen = FrozenWorkers(scheduler, 1)
    scheduler.isInteractive = true
    #expect(scheduler.isInteractive)
    let ran = Gate()
    scheduler.add { _ in ran.open() }
    // One worker is blocked, and no other may be awake.
    #expect(scheduler.metrics.awake == 1 && scheduler.metrics.queued == 1)
    scheduler.isInteractive = false
    #expect(ran.waitInTime())
    frozen.thaw()
    let alone = OperationScheduler.alone(workers: 1)
    alone.isInteractive = true
    alone.add { _ in ran.open() }
    #expect(ran.waitInTime())
  }

  // O1
  @Test("idle workers end after a timeout, and new ones start on demand")
  func idleWorkersEnd() {
    let scheduler = OperationScheduler(
      "idle",
      workerLimit: 2,
      permits: WorkerPermits(limit: 2),
      idleNanoseconds: 1_000_000
    )
    let done = Gate()
    for _ in 0..<3 {
      for _ in 0..<10 { scheduler.add { _ in done.open() } }
      for _ in 0..<10 { #expect(done.waitInTime()) }
      while scheduler.metrics.workers > 0 { TestThread.yield() }
    }
  }

  // O1
  @Test(
    "a released scheduler runs its queued operations, then ends its workers",
    arguments: [true, false]
  )
  func dropped(isAtRest: Bool) {
    let done = Gate()
    let log = Log()
    let name = isAtRest ? "dropped asleep" : "dropped at work"
    do {
      // Without work, the workers sleep for an hour before they end.
      let scheduler = OperationScheduler(
        name,
        workerLimit: 2,
        permits: WorkerPermits(limit: 2),
        idleNanoseconds: 3_600_000_000_000
      )
      let frozen = FrozenWorkers(scheduler, 2)
      for number in 0..<5 {
        scheduler.add { _ in
          log.add("\(number)")
          done.open()
        }
      }
      #expect(inTime { (Process.threadNames?.count { $0 == name } ?? 2) == 2 })
      frozen.thaw()
      if isAtRest { #expect(inTime { scheduler.metrics.awake == 0 }) }
    }
    for _ in 0..<5 { #expect(done.waitInTime()) }
    #expect(log.events.sorted() == ["0", "1", "2", "3", "4"])
    #expect(inTime { Process.threadNames?.contains(name) != true })
  }
}
