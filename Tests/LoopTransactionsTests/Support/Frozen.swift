import LoopTransactions
import TestSupport

/// Workers held at a gate, so that what is added waits.
final class FrozenWorkers: Sendable {
  private let held = Gate()
  private let release = Gate()
  private let count: Int

  /// Adds `count` operations to `scheduler` that occupy as many workers, and returns
  /// when they do.
  init(_ scheduler: OperationScheduler, _ count: Int) {
    self.count = count
    for _ in 0..<count {
      scheduler.add(priority: .interactive) { [held, release] _ in
        held.open()
        release.wait()
      }
    }
    for _ in 0..<count { held.wait() }
  }

  /// Lets the workers go on.
  func thaw() { release.open(count) }
}

extension OperationScheduler {
  /// A scheduler that the others of the test process take no permits from.
  static func alone(_ name: String = "test", workers: Int = 2) -> OperationScheduler {
    OperationScheduler(name, workerLimit: workers, permits: WorkerPermits(limit: 64))
  }
}

/// What happened, in order, told from any thread.
final class Log: Sendable {
  private let lines = Locked<[String]>([])

  var events: [String] { lines.withLock { $0 } }

  func add(_ event: String) { lines.withLock { $0.append(event) } }
}

/// How many are at one place at once.
final class RunningCount: Sendable {
  private let counts = Locked((now: 0, most: 0))

  /// The most there were.
  var most: Int { counts.withLock { $0.most } }

  /// Comes, does `body`, and goes; without one, it lets others come.
  func pass(_ body: () -> Void = { TestThread.yield() }) {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
    body()
    counts.withLock { $0.now -= 1 }
  }
}
