/// Runs operations on worker threads of its own, the most urgent first.
///
/// At most `workerLimit` of them at once, however many wait; workers are started on
/// demand and end when they have had nothing to do for a while. Operations of one
/// priority are taken in the order they were added. One lane takes the oldest of all,
/// and none waits for ever: before an operation at most 8 × `workerLimit` of higher
/// priority are taken for each that is older. A worker that finds operations short takes
/// up to 32 at once; what takes long holds up others for a millisecond or so, unless
/// every worker is at such a one.
///
/// ```swift
/// let scheduler = OperationScheduler("thumbnails")
/// let operation = scheduler.add(priority: .high) { operation in
///   for row in rows where !operation.isCancelled { draw(row) }
/// }
/// operation.setPriority(.background)
/// operation.cancel()
/// ```
///
/// After Texture's operation queue, whose lane against starvation could vanish, and
/// which kept what was cancelled.
public final class OperationScheduler: Sendable {
  @usableFromInline let core: SchedulerCore

  /// The scheduler for what needs none of its own.
  ///
  /// Use it on any thread. In a child that was forked it is another one.
  public static var shared: OperationScheduler { processWide.value }

  private static let processWide = ProcessWide { OperationScheduler("operations") }

  /// A scheduler whose workers are called `name` in a debugger, as far as the system
  /// shows: 15 bytes on Linux.
  ///
  /// Call from any thread. Starts no worker yet; the first scheduler of a process starts
  /// the thread that retries refused workers. A worker inherits its processor affinity
  /// from the thread that starts it, mostly the one that adds an operation.
  ///
  /// - Parameter workerLimit: How many operations may run at once; by default two
  ///   for each processor that this process may use.
  /// - Precondition: `workerLimit` is over zero.
  public init(_ name: String, workerLimit: Int = OperationScheduler.defaultWorkerLimit) {
    require(
      workerLimit > 0,
      "OperationScheduler: workerLimit must be over zero, got \(workerLimit)"
    )
    core = SchedulerCore(name: name, limit: workerLimit, permits: .shared)
  }

  package init(
    _ name: String,
    workerLimit: Int,
    permits: WorkerPermits,
    retries: WorkerRetries = .shared,
    idleNanoseconds: UInt64 = 5_000_000_000
  ) {
    core = SchedulerCore(
      name: name,
      limit: workerLimit,
      permits: permits,
      retries: retries,
      idleTime: idleNanoseconds
    )
  }

  // Workers hold the core: what was added is run to its end.
  deinit { core.close() }

  /// Two for each processor that this process may use, by its affinity and the
  /// quota of its control group.
  ///
  /// Read it on any thread.
  public static let defaultWorkerLimit = 2 * ActiveCores.count

  /// How many operations may run at once in the process, whatever their schedulers:
  /// at first `defaultWorkerLimit`.
  ///
  /// Use it on any thread. Schedulers that have more to do than this allows take
  /// turns, after half a millisecond or the operation they are at.
  ///
  /// - Precondition: Over zero.
  public static var processWorkerLimit: Int {
    get { WorkerPermits.shared.limit }
    set {
      require(
        newValue > 0,
        "OperationScheduler: processWorkerLimit must be over zero, got \(newValue)"
      )
      WorkerPermits.shared.limit = newValue
    }
  }

  /// Adds an operation behind those of its priority.
  ///
  /// Call from any thread. What `body` holds is released on the worker that ran it,
  /// or by the thread that cancels it. Memory for as many as ever waited at once is
  /// kept, 64 bytes each.
  ///
  /// Never blocks. If the system refuses a thread for a worker, the operation waits, and
  /// the start is retried until it succeeds: by a thread that is started with the
  /// first scheduler of the process. If that was refused too, loops and tasks that wait
  /// for operations retry, and each further `add` does. A scheduler that has no worker
  /// reports so on standard error, once until one starts.
  ///
  /// - Parameter body: Runs on a worker; told the operation, to ask whether it was
  ///   cancelled.
  /// - Complexity: O(1). Allocates nothing beyond the closure.
  @inlinable
  @discardableResult
  public func add(
    priority: OperationPriority = .normal,
    _ body: consuming @escaping @Sendable (ScheduledOperation) -> Void
  ) -> ScheduledOperation {
    // Inlined, so that a result that nobody uses is not retained. The body is moved: who
    // held a copy might be the last to release it. O12.
    ScheduledOperation(core: core, handle: core.add(OperationBody(body), priority))
  }

  /// How many operations may run at once, as far as `processWorkerLimit` allows.
  ///
  /// Call from any thread. Lowered, workers rest after the operation they are at.
  ///
  /// - Precondition: Over zero.
  public var workerLimit: Int {
    get { core.ask { $0.limit } }
    set {
      require(newValue > 0, "OperationScheduler: workerLimit must be over zero, got \(newValue)")
      core.update { $0.setLimit(newValue) }
    }
  }

  /// What the scheduler has done so far, and is at.
  ///
  /// Call from any thread.
  public var metrics: SchedulerMetrics { core.ask { $0.metrics } }

  /// Whether `metrics` tell how long operations wait. Off, that costs nothing; on, two
  /// readings of the clock for each. Switched off, what was measured is forgotten.
  ///
  /// Use it on any thread.
  public var measuresWaits: Bool {
    get { core.ask { $0.backlog.times != nil } }
    set {
      core.update {
        $0.backlog.measureWaits(newValue)
        return .none
      }
    }
  }

  /// Whether somebody interacts, and one worker fewer is to run, to leave its
  /// processor to the loop: one above that rests after the operation it is at.
  ///
  /// Call from any thread.
  public var isInteractive: Bool {
    get { core.ask { $0.isInteractive } }
    set { core.update { $0.setInteractive(newValue) } }
  }
}

/// An operation that was added to a scheduler.
public struct ScheduledOperation: Sendable {
  @usableFromInline let core: SchedulerCore
  @usableFromInline let handle: OperationHandle

  @inlinable
  init(core: SchedulerCore, handle: OperationHandle) {
    self.core = core
    self.handle = handle
  }

  /// Whether it has begun, and was cancelled since: for its body to ask. Of one that was
  /// cancelled before, which `cancel()` told, and one that has ended, it is false.
  ///
  /// Read it on any thread; one atomic read.
  public var isCancelled: Bool { handle.isCancelled }

  /// Cancels the operation: one that has not begun does not run, and what its body holds
  /// is released at once, on this thread; one that runs is told by `isCancelled`.
  ///
  /// Call from any thread. Whether it had not begun, and so does not run.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func cancel() -> Bool { core.cancel(handle) }

  /// Puts the operation behind those of `priority`, if it has not begun; whether that is
  /// so.
  ///
  /// Call from any thread.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func setPriority(_ priority: OperationPriority) -> Bool {
    core.move(handle, to: OperationBacklog.level(priority))
  }
}
