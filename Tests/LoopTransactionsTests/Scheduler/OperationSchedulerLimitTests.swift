import LoopTransactions
import TestSupport
import Testing

@Suite("OperationScheduler: how many workers")
struct OperationSchedulerLimitTests {
  // O1, carried-over l
  @Test("never more run at once than the limit says", arguments: [1, 2, 5])
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
  @Test("a limit may be as high as anybody likes")
  func highestLimit() {
    let scheduler = OperationScheduler.alone(workers: .max)
    let done = Gate()
    for _ in 0..<100 { scheduler.add { _ in done.open() } }
    for _ in 0..<100 { #expect(done.waitInTime()) }
    scheduler.workerLimit = 1
  }

  // O1
  @Test("a lowered limit holds from the next operation on, a raised one at once")
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
    // The one that is left is held: those above the limit took nothing.
    #expect(scheduler.metrics.queued == 200 && watch.most == 0)
    first.thaw()
    for _ in 0..<200 { #expect(done.waitInTime()) }
    #expect(watch.most == 1)
  }

  // O4, carried-over l
  @Test("interactive, the cap is one lower at once; one worker is left at least")
  func interactive() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let frozen = FrozenWorkers(scheduler, 1)
    scheduler.isInteractive = true
    #expect(scheduler.isInteractive)
    let ran = Gate()
    scheduler.add { _ in ran.open() }
    // One worker is held, and no other may be awake.
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
  @Test("workers that have nothing to do end after a while, and new ones come when needed")
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

  @Test(
    "a scheduler that is dropped runs what waits, and its workers go",
    arguments: [true, false]
  )
  func dropped(isAtRest: Bool) {
    let done = Gate()
    let log = Log()
    let name = isAtRest ? "dropped asleep" : "dropped at work"
    do {
      // They would sleep for an hour.
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
      if let names = Process.threadNames { #expect(names.count { $0 == name } == 2) }
      frozen.thaw()
      if isAtRest { #expect(inTime { scheduler.metrics.awake == 0 }) }
    }
    for _ in 0..<5 { #expect(done.waitInTime()) }
    #expect(log.events.sorted() == ["0", "1", "2", "3", "4"])
    #expect(inTime { Process.threadNames?.contains(name) != true })
  }
}
