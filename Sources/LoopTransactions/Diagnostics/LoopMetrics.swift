import Synchronization

/// What a loop has done since it was made.
///
/// A copy, taken at one moment by `EventLoop.metrics` or, from any thread,
/// `LoopPort.metrics`.
///
/// A value: make and read it on any thread.
public struct LoopMetrics: Hashable, Sendable {
  /// Ticks begun.
  public var ticks: UInt64 = 0

  /// Stretches in which something was flushed: most often one in a tick that had
  /// work.
  public var flushes: UInt64 = 0

  /// Transactions performed.
  public var performed: UInt64 = 0

  /// Commits of what was pending already. Those of a kept `Transaction` that is
  /// pending itself are not counted: they only read. Nor are those of a
  /// `PortTransaction` that join one which waits for the loop.
  public var coalesced: UInt64 = 0

  /// Transactions whose target died before they were performed.
  public var dead: UInt64 = 0

  /// Transactions cancelled.
  public var cancelled: UInt64 = 0

  /// Posts run: those of the library's own, for commits and elements of other
  /// threads, among them.
  public var posts: UInt64 = 0

  /// Elements that queues handed over.
  public var delivered: UInt64 = 0

  /// Times a flush ended with something left for the next tick.
  public var carriedOver: UInt64 = 0

  /// Kernel writes made to wake the loop.
  public var wakesSent: UInt64 = 0

  /// Wakes that the loop took note of.
  public var wakesReceived: UInt64 = 0

  /// Those of them that found something to do: the loop had not come across it
  /// by itself.
  public var wakesNeeded: UInt64 = 0

  /// Transactions that are pending; asked for by a port, those that the last
  /// flush left.
  public var pendingTransactions: UInt64 = 0

  /// Posts that the loop has taken and not run yet.
  public var pendingPosts: UInt64 = 0

  /// Elements that wait in queues; asked for by a port, those that waited when
  /// the loop was last asked.
  public var pendingElements: UInt64 = 0

  /// Time the loop spent on anything but waiting. Zero unless times are measured.
  ///
  /// Of an adopted loop, what its owner does between two runs is counted, too.
  public var busy: Duration = .zero

  /// Time the loop spent waiting for events. Zero unless times are measured.
  public var idle: Duration = .zero

  /// The longest stretch of a run between two waits. Zero unless times are
  /// measured.
  public var longestTick: Duration = .zero

  /// The metrics of a loop that has done nothing.
  public init() {}
}

/// The counters behind `LoopMetrics`: written by the loop, read by anyone.
final class MetricsCells: Sendable {
  /// One counter that one thread writes.
  struct Counter: ~Copyable, Sendable {
    private let cell = Atomic<UInt64>(0)

    /// What was counted.
    // Relaxed: a figure of its own, that orders nothing.
    var value: UInt64 { cell.load(ordering: .relaxed) }

    /// Counts `amount` more. Two plain moves and an addition, for there is one
    /// writer.
    @inline(__always)
    func add(_ amount: UInt64 = 1) {
      cell.store(cell.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    /// Replaces the count.
    @inline(__always)
    func set(_ value: UInt64) { cell.store(value, ordering: .relaxed) }

    /// Counts one more, from any thread.
    func addShared() { cell.add(1, ordering: .relaxed) }
  }

  let ticks = Counter()
  let flushes = Counter()
  let performed = Counter()
  let coalesced = Counter()
  let dead = Counter()
  let cancelled = Counter()
  let posts = Counter()
  let delivered = Counter()
  let carriedOver = Counter()
  let wakesSent = Counter()
  let wakesReceived = Counter()
  let wakesNeeded = Counter()
  let pendingTransactions = Counter()
  let pendingPosts = Counter()
  let pendingElements = Counter()
  let busy = Counter()
  let idle = Counter()
  let longestTick = Counter()
}

extension MetricsCells {
  /// The counters as they are now; each is whole, together they are of about
  /// one moment.
  var snapshot: LoopMetrics {
    var metrics = LoopMetrics()
    metrics.ticks = ticks.value
    metrics.flushes = flushes.value
    metrics.performed = performed.value
    metrics.coalesced = coalesced.value
    metrics.dead = dead.value
    metrics.cancelled = cancelled.value
    metrics.posts = posts.value
    metrics.delivered = delivered.value
    metrics.carriedOver = carriedOver.value
    metrics.wakesSent = wakesSent.value
    metrics.wakesReceived = wakesReceived.value
    metrics.wakesNeeded = wakesNeeded.value
    metrics.pendingTransactions = pendingTransactions.value
    metrics.pendingPosts = pendingPosts.value
    metrics.pendingElements = pendingElements.value
    metrics.busy = .nanoseconds(Int64(clamping: busy.value))
    metrics.idle = .nanoseconds(Int64(clamping: idle.value))
    metrics.longestTick = .nanoseconds(Int64(clamping: longestTick.value))
    return metrics
  }
}

extension MetricsCells: Unreflected {}
