import Synchronization

/// Counters of the work that a loop has done since it was created.
///
/// A snapshot from `EventLoop.metrics`, or from `LoopPort.metrics` on any
/// thread.
///
/// A value: create and read it on any thread.
public struct LoopMetrics: Hashable, Sendable {
  /// The number of ticks begun.
  public var ticks: UInt64 = 0

  /// The number of flush periods. A tick that has work usually has one.
  public var flushes: UInt64 = 0

  /// The number of transactions performed.
  public var performed: UInt64 = 0

  /// The number of commits that joined a pending transaction. Commits of a
  /// `Transaction` that is itself pending are not counted, because they write
  /// nothing. Commits of a `PortTransaction` whose item is still waiting for
  /// the loop are not counted either.
  public var coalesced: UInt64 = 0

  /// The number of transactions whose target died before they were performed.
  public var dead: UInt64 = 0

  /// The number of transactions cancelled.
  public var cancelled: UInt64 = 0

  /// The number of posts that have run. Includes internal posts, for commits
  /// and queue elements of other threads.
  public var posts: UInt64 = 0

  /// The number of elements delivered by queues.
  public var delivered: UInt64 = 0

  /// How often a flush carried work over to the next tick.
  public var carriedOver: UInt64 = 0

  /// The number of kernel writes that woke the loop.
  public var wakesSent: UInt64 = 0

  /// The number of wakes that the loop received.
  public var wakesReceived: UInt64 = 0

  /// The number of received wakes after which the loop found work that it had
  /// not found by itself.
  public var wakesNeeded: UInt64 = 0

  /// The number of pending transactions. When read through a port, the number
  /// that the last flush left.
  public var pendingTransactions: UInt64 = 0

  /// The number of posts that the loop has received and not run yet.
  public var pendingPosts: UInt64 = 0

  /// The number of elements waiting in queues. When read through a port, the
  /// number when the metrics were last read on the loop.
  public var pendingElements: UInt64 = 0

  /// The time the loop spent on everything except waiting. Zero unless
  /// `EventLoop.measuresTime` is true.
  ///
  /// For an adopted loop this includes the time its owner spends between two
  /// runs.
  public var busy: Duration = .zero

  /// The time the loop spent waiting for events. Zero unless
  /// `EventLoop.measuresTime` is true.
  ///
  /// Exact, except for a wait that a signal interrupted: if a callback of a
  /// handle that the program opened itself follows, up to a millisecond of that
  /// callback is added.
  public var idle: Duration = .zero

  /// The longest time between two waits of a run. Zero unless
  /// `EventLoop.measuresTime` is true.
  public var longestTick: Duration = .zero

  /// Creates the metrics of a loop that has done nothing.
  public init() {}
}

extension LoopMetrics {
  /// Adds the counters of another loop. `longestTick` becomes the longer one.
  package mutating func add(_ other: LoopMetrics) {
    for counter in Self.counters { self[keyPath: counter] &+= other[keyPath: counter] }
    busy += other.busy
    idle += other.idle
    longestTick = max(longestTick, other.longestTick)
  }

  // Computed, because key paths are not Sendable.
  private static var counters: [WritableKeyPath<LoopMetrics, UInt64>] {
    [
      \.ticks, \.flushes, \.performed, \.coalesced, \.dead, \.cancelled, \.posts, \.delivered,
      \.carriedOver, \.wakesSent, \.wakesReceived, \.wakesNeeded, \.pendingTransactions,
      \.pendingPosts, \.pendingElements,
    ]
  }
}

/// The counters behind `LoopMetrics`. The loop writes them; any thread reads
/// them.
// A new counter also stands in `counters`, `snapshot`, `description`,
// `PrometheusText.counters`, the article `LoopMetrics.md`, and the lists of
// `LoopGroupTests` and `PrometheusTextTests`.
package final class MetricsCells: Sendable {
  /// A counter that one thread writes.
  struct Counter: ~Copyable, Sendable {
    private let cell = Atomic<UInt64>(0)

    /// The current count.
    // Relaxed, because the number orders no other memory.
    var value: UInt64 { cell.load(ordering: .relaxed) }

    /// Adds `amount`. A plain load and store suffice, because there is only one
    /// writer.
    @inline(__always)
    func add(_ amount: UInt64 = 1) {
      cell.store(cell.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    /// Sets the count.
    @inline(__always)
    func set(_ value: UInt64) { cell.store(value, ordering: .relaxed) }

    /// Adds one. Call from any thread.
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
  /// The current counters. They are read one after another, so they may
  /// describe slightly different moments.
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

extension LoopMetrics: CustomStringConvertible {
  /// Every counter with its name. Times say "not measured" unless
  /// `EventLoop.measuresTime` was true.
  public var description: String {
    let counts: [(String, UInt64)] = [
      ("ticks", ticks), ("flushes", flushes), ("performed", performed), ("coalesced", coalesced),
      ("dead", dead), ("cancelled", cancelled), ("posts", posts), ("delivered", delivered),
      ("carriedOver", carriedOver), ("wakesSent", wakesSent), ("wakesReceived", wakesReceived),
      ("wakesNeeded", wakesNeeded), ("pendingTransactions", pendingTransactions),
      ("pendingPosts", pendingPosts), ("pendingElements", pendingElements),
    ]
    let isMeasured = busy + idle > .zero
    let times = [("busy", busy), ("idle", idle), ("longestTick", longestTick)].map { name, time in
      "\(name): " + (isMeasured ? "\(time)" : "not measured")
    }
    return (counts.map { "\($0): \($1)" } + times).joined(separator: ", ")
  }
}
