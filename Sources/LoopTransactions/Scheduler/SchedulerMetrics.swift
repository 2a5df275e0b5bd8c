/// What a scheduler has done since it was made, and is at.
///
/// A copy, taken at one moment by `OperationScheduler.metrics`.
///
/// A value: make and read it on any thread.
public struct SchedulerMetrics: Hashable, Sendable {
  /// How long operations of one priority waited for a worker.
  public struct Wait: Hashable, Sendable {
    /// The priority they had when they were taken.
    public var priority: OperationPriority
    /// How many there were.
    public var count: UInt64
    /// How long they waited, all together, in nanoseconds.
    public var total: UInt64
    /// How long the one that waited longest did, in nanoseconds.
    public var longest: UInt64

    /// The waits of `count` operations of `priority`; times in nanoseconds.
    public init(priority: OperationPriority, count: UInt64, total: UInt64, longest: UInt64) {
      self.priority = priority
      self.count = count
      self.total = total
      self.longest = longest
    }
  }

  /// Operations that wait.
  public var queued = 0

  /// Operations that were taken and have not ended.
  public var running = 0

  /// Worker threads there are.
  public var workers = 0

  /// Those of them that have something to do, or look for it.
  public var awake = 0

  /// Operations added.
  public var added: UInt64 = 0

  /// Operations that were cancelled before they ran.
  public var cancelled: UInt64 = 0

  /// Waits by priority, highest first, of those that had any while
  /// `measuresWaits` was on. What a thread waits for counts as the highest.
  public var waits: [Wait] = []

  /// What a scheduler says that has done nothing.
  public init() {}
}
