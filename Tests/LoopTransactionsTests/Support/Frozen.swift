import LoopTransactions
import TestSupport

/// Workers blocked at a gate, so that added operations stay queued.
final class FrozenWorkers: Sendable {
  private let held = Gate()
  private let release = Gate()
  private let count: Int

  /// Blocks `count` workers of `scheduler` with one operation each. Returns
  /// when all these operations are running.
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

  /// Releases the workers.
  func thaw() { release.open(count) }
}

extension OperationScheduler {
  /// Creates a scheduler that does not share permits with other schedulers of
  /// the test process.
  static func alone(_ name: String = "test", workers: Int = 2) -> OperationScheduler {
    OperationScheduler(name, workerLimit: workers, permits: WorkerPermits(limit: 64))
  }
}

/// Calls a closure where a scheduler starts its first worker: on the thread that
/// adds the first operation, before its call returns.
final class WorkerStart: Sendable {
  typealias Action = @Sendable (_ startWorker: () -> Void) -> Void

  /// The closure, which is called once. Its argument starts the worker.
  let action = Locked<Action?>(nil)

  /// Creates a scheduler with one worker.
  func scheduler() -> OperationScheduler {
    let retries = WorkerRetries { [action] name, work in
      guard name == "test" else { return WorkerThread.start(name, work) }
      // Once, because an idle worker ends after a while, and another one starts later.
      guard let action = action.withLock({ $0.take() }) else {
        return WorkerThread.start(name, work)
      }
      // The system may refuse a thread for a moment. The retry would wait until this
      // closure returns.
      action { while !WorkerThread.start(name, work) { TestThread.yield() } }
      return true
    }
    let permits = WorkerPermits(limit: 64)
    return OperationScheduler("test", workerLimit: 1, permits: permits, retries: retries)
  }
}

/// A list of events in order, recorded from any thread.
final class Log: Sendable {
  private let lines = Locked<[String]>([])

  var events: [String] { lines.withLock { $0 } }

  func add(_ event: String) { lines.withLock { $0.append(event) } }
}

/// Counts the threads that are inside `pass(_:)` at the same time.
final class RunningCount: Sendable {
  private let counts = Locked((now: 0, most: 0))

  /// The highest count so far.
  var most: Int { counts.withLock { $0.most } }

  /// Counts the caller while it runs `body`. By default, `body` yields to other
  /// threads.
  func pass(_ body: () -> Void = { TestThread.yield() }) {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
    body()
    counts.withLock { $0.now -= 1 }
  }
}
