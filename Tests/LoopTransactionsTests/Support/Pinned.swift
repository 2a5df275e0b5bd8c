import LoopTransactions
import TestSupport

/// An actor pinned to a loop.
actor Pinned {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  private(set) var count = 0

  /// One on the loop of `port`.
  init(on port: LoopPort) { self.port = port }

  /// Counts one more; returns the new count.
  @discardableResult
  func increment() -> Int {
    count += 1
    return count
  }

  /// Counts one more on `other`, and here, `rounds` times.
  func increment(_ rounds: Int, with other: Pinned) async {
    for _ in 0..<rounds {
      await other.increment()
      count += 1
    }
  }

  /// Begins a task of the actor's own, without a hop, which counts as above and then
  /// calls `body`.
  nonisolated func beginHere(
    _ rounds: Int,
    with other: Pinned,
    _ body: @escaping @Sendable () -> Void
  ) {
    assumeIsolated { pinned in
      pinned.begin(rounds, with: other, body)
    }
  }

  private func begin(_ rounds: Int, with other: Pinned, _ body: @escaping @Sendable () -> Void) {
    Task {
      await increment(rounds, with: other)
      body()
    }
  }

  /// Stays for `time`; whether it was the only one meanwhile, as `inside` counts them.
  func stays(for time: Duration, _ inside: Tally) -> Bool {
    defer { inside.add(-1) }
    let wasAlone = inside.increment() == 1
    spin(for: time)
    return wasAlone && inside.value == 1
  }

  /// Counts one more, without a hop, where the caller is; returns the new count.
  nonisolated func assumeHere() -> Int { assumeIsolated { $0.increment() } }

  /// The thread that runs the actor.
  var thread: UInt { System.thread }
}

/// An executor that runs nothing, and allocates nothing for the first jobs.
final class JobCollector: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  /// One with room for `count` jobs.
  init(_ count: Int) { jobs.withLock { $0.reserveCapacity(count) } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }
}

/// Threads for tasks of tests whose loop waits for them: other tests may hold every
/// thread of the concurrency pool.
let ownThreads = OperationScheduler("tests", workerLimit: 4)
