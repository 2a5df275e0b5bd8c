import Synchronization

/// Runs operations on its own worker threads, highest priority first.
///
/// At most `workerLimit` operations run at once. Workers are started on demand,
/// and end some seconds after their last operation. Operations of equal priority
/// start in the order they were added. No operation starves, because one aging
/// slot picks the oldest operation after each other worker has taken one of
/// higher priority. Rules O1 to O3 of docs/rules.md have the limits.
///
/// A worker takes several operations at once if they are short. If one of them
/// turns out to be long, another worker reclaims the rest, unless all workers
/// run long operations.
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
/// See also: the counterparts are `DispatchQueue.global()` in Dispatch,
/// `OperationQueue` in Foundation and `NIOThreadPool` in SwiftNIO. Modelled on
/// Texture's operation queue.
public final class OperationScheduler: Sendable {
  @usableFromInline let core: SchedulerCore

  /// The default scheduler.
  ///
  /// Call from any thread. A forked child process has a default scheduler of
  /// its own.
  public static var shared: OperationScheduler { processWide.value }

  private static let processWide = ProcessWide { OperationScheduler("operations") }

  /// Creates a scheduler.
  ///
  /// Call from any thread. No worker is started yet. The first scheduler of a
  /// process starts the thread that retries failed worker starts. A worker
  /// inherits its CPU affinity from the thread that starts it, usually the
  /// thread that adds an operation.
  ///
  /// - Parameters:
  ///   - name: The name of the worker threads. Linux shows its first 15 bytes,
  ///     and a name with a zero byte is not shown.
  ///   - workerLimit: How many operations may run at once. Defaults to two per
  ///     CPU that this process may use.
  /// - Precondition: `workerLimit` is positive.
  public init(_ name: String, workerLimit: Int = OperationScheduler.defaultWorkerLimit) {
    require(
      workerLimit > 0,
      "OperationScheduler: workerLimit must be positive, got \(workerLimit)"
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

  /// Creates a scheduler without threads. `workers` runs its operations.
  package init(_ name: String, workerLimit: Int, steppedBy workers: SteppedWorkers) {
    core = SchedulerCore(
      name: name,
      limit: workerLimit,
      // Stepped workers are not threads, so the limit of the process does not
      // apply to them, and no thread is started.
      permits: WorkerPermits(limit: .max),
      retries: WorkerRetries(startThread: { _, _ in true }),
      stepped: workers
    )
    workers.attach(to: core)
  }

  // The workers retain the core, so they still run queued operations.
  deinit { core.close() }

  /// Two per CPU that this process may use, according to its affinity and the
  /// quota of its control group.
  ///
  /// Call from any thread.
  public static let defaultWorkerLimit = 2 * ActiveCores.count

  /// How many operations may run at once in the process, across all schedulers.
  /// Initially `defaultWorkerLimit`.
  ///
  /// Call from any thread. Schedulers that together need more workers take
  /// turns. A worker gives up its turn after 0.5 ms, or after its current
  /// operation if that takes longer.
  ///
  /// - Precondition: The value is positive.
  public static var processWorkerLimit: Int {
    get { WorkerPermits.shared.limit }
    set {
      require(
        newValue > 0,
        "OperationScheduler: processWorkerLimit must be positive, got \(newValue)"
      )
      WorkerPermits.shared.limit = newValue
    }
  }

  /// Adds an operation behind the queued operations of equal priority.
  ///
  /// Call from any thread. Never blocks. `body` runs in no task of its own. Use
  /// `run` if it needs task-local values. The captures of `body` are released
  /// on the worker that ran it, or on the thread that cancels it. The scheduler
  /// takes 64 bytes for each operation that is queued or runs. It keeps up to 1
  /// MiB of this memory, and returns the rest to the system when all operations
  /// have ended and a worker finds none.
  ///
  /// If the system refuses to create a worker thread, the operation stays
  /// queued and a dedicated thread retries until one starts. If the system
  /// refused the dedicated thread too, later calls of `add` retry. A scheduler
  /// without any worker reports the failure on standard error. It reports it
  /// again only after a worker has started.
  ///
  /// - Parameter body: Runs on a worker. Its argument lets it poll for
  ///   cancellation.
  /// - Returns: A handle that can cancel the operation and change its priority.
  /// - Complexity: O(1). Allocates nothing beyond the closure.
  @inlinable
  @discardableResult
  public func add(
    priority: OperationPriority = .normal,
    _ body: consuming @escaping @Sendable (ScheduledOperation) -> Void
  ) -> ScheduledOperation {
    // Inlined, so that an unused result is not retained. The body is moved,
    // because a copy might hold the last reference to the captures.
    ScheduledOperation(core: core, handle: core.add(OperationBody(body), priority))
  }

  /// How many operations may run at once, within `processWorkerLimit`.
  ///
  /// Call from any thread. After a lower limit is set, excess workers stop
  /// after their current operation.
  ///
  /// - Precondition: The value is positive.
  public var workerLimit: Int {
    get { core.ask { $0.limit } }
    set {
      require(newValue > 0, "OperationScheduler: workerLimit must be positive, got \(newValue)")
      core.update { $0.setLimit(newValue) }
    }
  }

  /// A snapshot of the scheduler's counters.
  ///
  /// Call from any thread.
  public var metrics: SchedulerMetrics { core.change { $0.readMetrics() } }

  /// Whether an operation was added that has not ended.
  ///
  /// Call from any thread.
  package var hasOperations: Bool { core.ask { $0.backlog.count > 0 || $0.running > 0 } }

  /// Whether `metrics` includes how long operations wait.
  ///
  /// Call from any thread. Measuring reads the clock twice per operation; when
  /// off, it costs nothing. Turning it off discards the measurements.
  public var measuresWaits: Bool {
    get { core.ask { $0.backlog.times != nil } }
    set {
      core.update {
        $0.backlog.measureWaits(newValue)
        return .none
      }
    }
  }

  /// Whether a user is interacting. While `true`, one worker fewer runs, which
  /// leaves a CPU free for the loop.
  ///
  /// Call from any thread. An excess worker stops after its current operation.
  public var isInteractive: Bool {
    get { core.ask { $0.isInteractive } }
    set { core.update { $0.setInteractive(newValue) } }
  }
}

/// A handle to an operation that was added to a scheduler.
///
/// Use it on any thread.
///
/// See also: `DispatchWorkItem` is the counterpart in Dispatch.
public struct ScheduledOperation: Sendable {
  @usableFromInline let core: SchedulerCore
  @usableFromInline let handle: OperationHandle

  @inlinable
  init(core: SchedulerCore, handle: OperationHandle) {
    self.core = core
    self.handle = handle
  }

  /// Whether the operation was cancelled while it runs. Its body can poll this.
  ///
  /// Call from any thread. One atomic read. Always `false` for an operation
  /// that has ended, or that was cancelled before it began.
  public var isCancelled: Bool { handle.isCancelled }

  /// Cancels the operation.
  ///
  /// Call from any thread. A queued operation does not run, and its body is
  /// released on this thread. A running operation can poll `isCancelled`.
  ///
  /// - Returns: `true` if the operation had not begun, so its body does not
  ///   run. `false` if it had begun, had ended or was already cancelled.
  /// - Complexity: O(1).
  @discardableResult
  public func cancel() -> Bool { core.cancel(handle) }

  /// Moves the operation behind the queued operations of `priority`, if it has
  /// not begun.
  ///
  /// Call from any thread.
  ///
  /// - Returns: `true` if the operation had not begun.
  /// - Complexity: O(1).
  @discardableResult
  public func setPriority(_ priority: OperationPriority) -> Bool {
    core.move(handle, to: OperationBacklog.level(priority))
  }
}

/// The urgency of an operation. Higher priorities run first.
///
/// There are 256 levels, so a priority can be the distance to the viewport. A
/// value type: use it on any thread.
///
/// See also: `DispatchQoS` is the counterpart in Dispatch. Modelled on Texture's
/// drawing priority.
public struct OperationPriority: Hashable, Comparable, Sendable, RawRepresentable {
  /// The level, from -128 to 127.
  public let rawValue: Int8

  /// Creates a priority from its level.
  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// Creates a priority from a level. Clamps `level` to -128...127.
  public init(_ level: Int) { self.init(rawValue: Int8(clamping: level)) }

  /// For work that no user waits for. Level -64.
  public static var background: OperationPriority { OperationPriority(rawValue: -64) }

  /// For work that can wait until other requested work is done. Level -32.
  public static var low: OperationPriority { OperationPriority(rawValue: -32) }

  /// The default. Level 0.
  public static var normal: OperationPriority { OperationPriority(rawValue: 0) }

  /// For work that a user waits for. Level 64.
  public static var high: OperationPriority { OperationPriority(rawValue: 64) }

  /// For work that responds to a current gesture. Level 96.
  public static var interactive: OperationPriority { OperationPriority(rawValue: 96) }

  /// Whether `left` runs after `right`.
  public static func < (left: OperationPriority, right: OperationPriority) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension OperationPriority {
  /// Creates the priority that corresponds to a task priority.
  ///
  /// `TaskPriority.medium` maps to `normal`, `high` to `high` and `background`
  /// to `background`. Values in between map proportionally.
  public init(_ priority: TaskPriority) {
    // The raw values 9, 17, 21, 25 and 33 are background, low, medium, high,
    // and the highest.
    switch priority.rawValue {
    case ...9: self = .background
    case 25...: self = .high
    default: self.init((Int(priority.rawValue) - 21) * (priority.rawValue < 21 ? 5 : 16))
    }
  }
}

extension TaskPriority {
  /// Creates the priority that corresponds most closely to a level of the
  /// backlog. The inverse of `OperationPriority.init(_:)`.
  init(level: Int) {
    switch level - OperationBacklog.level(.normal) {
    case ...Int(OperationPriority.background.rawValue): self = .background
    case Int(OperationPriority.high.rawValue)...: self = .high
    case let distance: self.init(rawValue: UInt8(21 + distance / (distance < 0 ? 5 : 16)))
    }
  }
}

/// A counter that other threads compare with a captured value. A different
/// value means that a newer operation has begun.
///
/// Use from any thread. The counter has 64 bits, so no value ever recurs.
///
/// ```swift
/// let request = searches.advance()
/// transaction.add { _ in
///   pages.filter { searches.value == request && $0.matches(text) }
/// } completion: { outcome in
///   show(outcome)
/// }
/// ```
///
/// Modelled on YYKit's `YYSentinel`.
public final class Sentinel: Sendable {
  // Acquire: pairs with the release in `advance()` and `raise(to:)`, so a
  // thread that reads a new value sees everything written before the value was
  // set. Acquire-release: also orders concurrent changes.
  private let counter = Atomic<UInt64>(0)

  /// Creates a counter at zero.
  public init() {}

  /// The current value.
  ///
  /// Call from any thread. Performs one atomic load.
  public var value: UInt64 { counter.load(ordering: .acquiring) }

  /// Increments the counter and returns the new value.
  ///
  /// Call from any thread.
  @discardableResult
  public func advance() -> UInt64 {
    counter.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

  /// A read-only view of a counter.
  ///
  /// Use from any thread.
  public struct Reader: Sendable {
    private let sentinel: Sentinel

    fileprivate init(_ sentinel: Sentinel) { self.sentinel = sentinel }

    /// The current value.
    ///
    /// Call from any thread. Performs one atomic load.
    public var value: UInt64 { sentinel.value }
  }

  /// A read-only view of the counter.
  ///
  /// Call from any thread.
  public var reader: Reader { Reader(self) }

  /// Raises the counter to `value`. Does nothing if it is already at least
  /// `value`.
  ///
  /// Call from any thread.
  public func raise(to value: UInt64) { _ = counter.max(value, ordering: .acquiringAndReleasing) }
}
