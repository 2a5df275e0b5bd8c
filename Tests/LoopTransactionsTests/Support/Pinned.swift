import LoopTransactions
import TestSupport

/// An actor pinned to a loop.
actor Pinned {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  private(set) var count = 0

  /// Creates an actor on the loop of `port`.
  init(on port: LoopPort) { self.port = port }

  /// Increments the count and returns it.
  @discardableResult
  func increment() -> Int {
    count += 1
    return count
  }

  /// Increments the count of `other`, and this count, `rounds` times.
  func increment(_ rounds: Int, with other: Pinned) async {
    for _ in 0..<rounds {
      await other.increment()
      count += 1
    }
  }

  /// Begins a task of the actor without a hop. The task increments both counts
  /// like `increment(_:with:)`, and then calls `body`.
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

  /// Occupies the actor for `time`. Returns true if `inside` counted no other
  /// caller in the meantime.
  func stays(for time: Duration, _ inside: Tally) -> Bool {
    defer { inside.add(-1) }
    let wasAlone = inside.increment() == 1
    spin(for: time)
    return wasAlone && inside.value == 1
  }

  /// Increments the count without a hop, on the caller's thread, and returns
  /// it.
  nonisolated func assumeHere() -> Int { assumeIsolated { $0.increment() } }

  /// The thread that runs the actor.
  var thread: UInt { System.thread }
}

/// An executor that runs nothing, and does not allocate for its first jobs.
final class JobCollector: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  /// Creates an executor with capacity for `count` jobs.
  init(_ count: Int) { jobs.withLock { $0.reserveCapacity(count) } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }
}

/// Runs the tasks that a test's loop waits for. Other tests may occupy every
/// thread of the concurrency pool.
let ownThreads = OperationScheduler("tests", workerLimit: 4)
