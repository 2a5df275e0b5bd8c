import LoopTransactions
import TestSupport
import Testing

@Suite("Locked, AdaptiveLock, Backoff")
struct LockedTests {
  private static let threads = 16
  private static var rounds: Int { Interposed.isSanitized ? 2000 : 20_000 }

  @Test("16 threads incrementing and decrementing a number never overlap, and it ends at 0")
  func contested() {
    let number = Locked((value: 0, isTaken: false))
    let faults = Tally()
    let threads = (0..<Self.threads).map { thread in
      TestThread {
        for _ in 0..<Self.rounds {
          number.withLock { state in
            if state.isTaken { faults.increment() }
            state.isTaken = true
            state.value += thread % 2 == 0 ? 1 : -1
            state.isTaken = false
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(number.withLock { $0.value } == 0 && faults.value == 0)
  }

  // A scheduler's state is in an `AdaptiveLock`. There are more threads than
  // processors, so a thread that holds the lock is sometimes preempted, and
  // contenders block. Yields are not counted under a sanitizer.
  @Test("operations that 16 threads add and cancel are all counted, and no thread yields its CPU")
  func brieflyContested() {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let (faults, yields) = (Tally(), Tally())
    let through = Gate()
    let threads = (0..<Self.threads).map { _ in
      TestThread {
        Interposed.before(.yield, { yields.increment() }) {
          for _ in 0..<Self.rounds where !scheduler.add({ _ in }).cancel() { faults.increment() }
        }
        through.open()
      }
    }
    for _ in threads { #expect(through.waitInTime()) }
    for thread in threads { thread.join() }
    let count = UInt64(Self.threads * Self.rounds)
    let metrics = scheduler.metrics
    #expect(metrics.added == count + 1 && metrics.cancelled == count)
    #expect(metrics.queued == 0 && faults.value == 0)
    #expect(yields.value == 0)
    frozen.thaw()
  }

  // 1 + 2 + 4 + 8 + 16 + 32 pauses in 6 attempts, then 7 times 64.
  @Test(
    "a contender spins 500 times before it blocks, or 13 times with up to 64 pauses at once",
    arguments: [(1, 500), (64, 13)]
  )
  func backoff(_ longestPause: Int, _ spins: Int) {
    var backoff = Backoff(longestPause: longestPause)
    var count = 0
    while backoff.spin() { count += 1 }
    #expect(count == spins)
  }
}
