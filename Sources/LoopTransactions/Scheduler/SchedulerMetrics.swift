/// A snapshot of a scheduler's counters, from `OperationScheduler.metrics`.
///
/// A value type: use it on any thread.
public struct SchedulerMetrics: Hashable, Sendable {
  /// How long operations of one priority waited for a worker.
  public struct Wait: Hashable, Sendable {
    /// The priority the operations had when they were dequeued.
    public var priority: OperationPriority
    /// The number of operations.
    public var count: UInt64
    /// The sum of their waits, in nanoseconds.
    public var total: UInt64
    /// The longest wait, in nanoseconds.
    public var longest: UInt64

    /// Creates the waits of one priority, with times in nanoseconds.
    public init(priority: OperationPriority, count: UInt64, total: UInt64, longest: UInt64) {
      self.priority = priority
      self.count = count
      self.total = total
      self.longest = longest
    }
  }

  /// Queued operations.
  public var queued = 0

  /// Operations that were dequeued and have not ended.
  public var running = 0

  /// Worker threads.
  public var workers = 0

  /// Workers that run operations or search for operations.
  public var awake = 0

  /// Operations added since the scheduler was created.
  public var added: UInt64 = 0

  /// Operations cancelled before they ran.
  public var cancelled: UInt64 = 0

  /// The waits while `measuresWaits` was on, highest priority first. Priorities
  /// without waits are left out. Operations that a thread waited for are
  /// counted at the highest priority.
  public var waits: [Wait] = []

  /// Creates the metrics of an unused scheduler.
  public init() {}
}
