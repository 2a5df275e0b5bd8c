import LoopTransactions
import TestSupport
import Testing

@Suite("OperationScheduler.apply")
struct ApplyTests {
  // O1, O14
  @Test("apply calls each number once, on no more threads than allowed")
  func onceEach() {
    let scheduler = OperationScheduler.alone(workers: 3)
    for count in [0, 1, 2, 7, 100_000] {
      let calls = (0..<count).map { _ in Tally() }
      let threads = Locked<Set<UInt>>([])
      scheduler.apply(count) { number in
        calls[number].increment()
        threads.withLock { _ = $0.insert(System.thread) }
      }
      #expect(calls.allSatisfy { $0.value == 1 }, "\(count)")
      #expect(threads.withLock { $0.count } <= 4)
    }
  }

  // O14
  @Test("apply on every worker at once does not deadlock")
  func onEveryWorker() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let sum = Tally()
    let done = Gate()
    for _ in 0..<4 {
      scheduler.add { _ in
        scheduler.apply(100) { _ in sum.increment() }
        done.open()
      }
    }
    for _ in 0..<4 { #expect(done.waitInTime()) }
    #expect(sum.value == 400)
  }

  // O14
  @Test("apply inside a body of apply makes all calls")
  func nested() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let sum = Tally()
    scheduler.apply(20) { _ in
      scheduler.apply(20) { _ in scheduler.apply(5) { _ in sum.increment() } }
    }
    #expect(sum.value == 2000)
  }

  // O14
  @Test("while every worker is busy, the caller makes all calls, and no operation stays queued")
  func alone() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let frozen = FrozenWorkers(scheduler, 2)
    let threads = Locked<Set<UInt>>([])
    scheduler.apply(1000) { _ in threads.withLock { _ = $0.insert(System.thread) } }
    #expect(threads.withLock { $0 } == [System.thread])
    #expect(scheduler.metrics.queued == 0)
    frozen.thaw()
  }

  // O14
  @Test("all workers of the limit join a call, one after the other, also in a batch")
  func joins() {
    let scheduler = OperationScheduler.alone(workers: 3)
    let met = Meeting(of: 4)
    // Worker batches are now as long as they can be.
    for _ in 0..<1000 { scheduler.add { _ in } }
    scheduler.apply(4) { _ in met.wait() }
    #expect(met.isComplete)
  }

  // O14
  @Test("the caller sleeps until the last call of a worker has returned")
  func lastCall() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let (began, hold, returned) = (Gate(), Gate(), Tally())
    let caller = TestThread {
      let own = System.thread
      scheduler.apply(2) { _ in
        if System.thread == own { return began.wait() }
        began.open()
        hold.wait()
        returned.increment()
      }
      #expect(returned.value == 1)
    }
    while WaitTable.shared.helperWaitCount == 0 { TestThread.yield() }
    hold.open()
    caller.join()
  }

  // O14
  @Test("apply releases the captures of its body before it returns")
  func captures() {
    let scheduler = OperationScheduler.alone(workers: 3)
    for _ in 0..<200 {
      var tally: Tally? = Tally()
      weak let released = tally
      if let tally { scheduler.apply(100) { _ in tally.increment() } }
      #expect(tally?.value == 100)
      tally = nil
      #expect(released == nil)
    }
  }

  // O14
  @Test("a call on a loop's thread makes all calls")
  func onLoop() throws {
    try withLoop { loop in
      let (scheduler, sum) = (OperationScheduler.alone(workers: 2), Tally())
      loop.post {
        scheduler.apply(100) { _ in sum.increment() }
        loop.stop()
      }
      loop.run()
      #expect(sum.value == 100)
    }
  }
}

/// A place where a number of threads wait for each other.
private final class Meeting: Sendable {
  private let (count, arrived) = (Locked(0), Gate())
  private let size: Int

  init(of size: Int) { self.size = size }

  var isComplete: Bool { count.withLock { $0 } == size }

  func wait() {
    let isLast = count.withLock {
      $0 += 1
      return $0 == size
    }
    if isLast { for _ in 0..<size { arrived.open() } }
    _ = arrived.waitInTime()
  }
}
