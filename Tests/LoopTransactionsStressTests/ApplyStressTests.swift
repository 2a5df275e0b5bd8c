import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import TestSupport
import Testing

@Suite("Stress: apply", .serialized)
struct ApplyStressTests {
  // O14
  @Test(
    "8 threads that share loops over the workers, also in loops, make each call once",
    arguments: [(1, 64), (4, 64), (64, 2)]
  )
  func eachCallOnce(limit: Int, permits: Int) {
    let scheduler = OperationScheduler(
      "stress",
      workerLimit: limit,
      permits: WorkerPermits(limit: permits)
    )
    let faults = Locked<[String]>([])
    let rounds = Workload.count(4000)
    let threads = (0..<8).map { number in
      TestThread {
        var generator = SeededGenerator(seed: Workload.seed &* 13 &+ UInt64(number))
        for round in 0..<rounds {
          let count = Int.random(in: 0..<200, using: &generator)
          let inner = Int.random(in: 0..<4, using: &generator)
          let made = CallCounts(count)
          scheduler.apply(count, priority: OperationPriority(count - 100)) { index in
            scheduler.apply(inner) { _ in made.count(index) }
            made.count(index)
          }
          // Relaxed: every call has returned.
          guard made.areAll(1 + inner) else {
            return faults.withLock { $0.append("round \(round) of thread \(number)") }
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(faults.withLock { $0 } == [])
    // No operation by which a worker would join remains queued.
    #expect(scheduler.metrics.queued == 0)
  }

  // O12, O14
  @Test("the captures of a body are released on the caller's thread, when apply has returned")
  func captures() {
    let scheduler = OperationScheduler("stress", workerLimit: 4, permits: WorkerPermits(limit: 4))
    let (alive, faults) = (Tally(), Tally())
    for _ in 0..<Workload.count(20_000) {
      share(scheduler, Capture(alive))
      if alive.value != 0 { faults.increment() }
    }
    #expect(faults.value == 0)
  }

  private func share(_ scheduler: OperationScheduler, _ capture: consuming Capture) {
    scheduler.apply(50) { [capture] _ in withExtendedLifetime(capture) {} }
  }
}

/// Counts the calls for each index.
private final class CallCounts: Sendable {
  private let counts: [Tally]

  init(_ size: Int) { counts = (0..<size).map { _ in Tally() } }

  func count(_ index: Int) { counts[index].increment() }

  func areAll(_ expected: Int) -> Bool { counts.allSatisfy { $0.value == expected } }
}

/// An object that counts itself.
private final class Capture: Sendable {
  private let alive: Tally

  init(_ alive: Tally) {
    self.alive = alive
    alive.increment()
  }

  deinit { alive.add(-1) }
}
