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

extension SchedulerMetrics: CustomStringConvertible {
  /// Every counter with its name. The waits say "not measured" unless operations waited
  /// while `OperationScheduler.measuresWaits` was true.
  public var description: String {
    let counts = [
      "queued: \(queued)", "running: \(running)", "workers: \(workers)", "awake: \(awake)",
      "added: \(added)", "cancelled: \(cancelled)",
    ]
    let times = waits.map(\.text).joined(separator: "; ")
    return (counts + ["waits: " + (waits.isEmpty ? "not measured" : times)])
      .joined(separator: ", ")
  }
}

extension SchedulerMetrics.Wait {
  fileprivate var text: String {
    let (total, longest) = (Self.duration(total), Self.duration(longest))
    return "\(count) at priority \(priority.rawValue) took \(total), at most \(longest)"
  }

  private static func duration(_ nanoseconds: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds))
  }
}

/// How long operations waited, by level.
struct WaitTimes {
  private struct Level {
    var count: UInt64 = 0
    var total: UInt64 = 0
    var longest: UInt64 = 0
  }

  private var levels = [Level](repeating: Level(), count: OperationBacklog.boostedLevel)

  /// The clock in units of 1.024 us, truncated to 32 bits. Never 0.
  // Waits longer than 73 minutes wrap around and are recorded as shorter.
  static var now: UInt32 { max(1, UInt32(truncatingIfNeeded: System.nanoseconds >> 10)) }

  /// Records the wait of an operation that was added at `time`.
  mutating func record(since time: UInt32, level: Int) {
    let nanoseconds = UInt64(Self.now &- time) << 10
    // A boosted operation counts as the highest priority.
    let level = min(level, OperationBacklog.boostedLevel - 1)
    levels[level].count += 1
    levels[level].total &+= nanoseconds
    levels[level].longest = max(levels[level].longest, nanoseconds)
  }

  /// The recorded waits by level, highest level first.
  var waits: [SchedulerMetrics.Wait] {
    levels.enumerated().reversed().compactMap { level, times in
      guard times.count > 0 else { return nil }
      return SchedulerMetrics.Wait(
        priority: OperationPriority(level - 128),
        count: times.count,
        total: times.total,
        longest: times.longest
      )
    }
  }
}

extension PrometheusText {
  /// Adds a scheduler. Its samples have the label `scheduler`, and its waits the
  /// label `priority` with the number of the priority. Waits are left out unless
  /// the scheduler measured them.
  ///
  /// - Parameters:
  ///   - name: The value of the label `scheduler`.
  ///   - metrics: From `OperationScheduler.metrics`.
  /// - Precondition: No scheduler of this name was added before.
  /// - Complexity: O(n) in the schedulers added before.
  public mutating func add(_ name: String, _ metrics: SchedulerMetrics) {
    add(Self.values(of: metrics) + Self.waits(of: metrics), of: "scheduler", name: name)
  }

  private static func values(of metrics: SchedulerMetrics) -> [Metric] {
    let values = [
      ("added_total", "counter", "Operations added.", "\(metrics.added)"),
      (
        "cancelled_total", "counter", "Operations cancelled before they ran.",
        "\(metrics.cancelled)"
      ),
      ("queued", "gauge", "Operations queued.", "\(metrics.queued)"),
      (
        "running", "gauge", "Operations that a worker took and that have not ended.",
        "\(metrics.running)"
      ),
      ("workers", "gauge", "Worker threads.", "\(metrics.workers)"),
      ("workers_awake", "gauge", "Workers that run or look for operations.", "\(metrics.awake)"),
    ]
    return values.map { name, type, help, value in
      Metric(name: "scheduler_\(name)", type: type, help: help, samples: [Sample(value: value)])
    }
  }

  private static func waits(of metrics: SchedulerMetrics) -> [Metric] {
    let sums = metrics.waits.flatMap { wait in
      let labels = labels(of: wait)
      return [
        Sample(suffix: "_sum", labels: labels, value: seconds(wait.total)),
        Sample(suffix: "_count", labels: labels, value: "\(wait.count)"),
      ]
    }
    let longest = metrics.waits.map {
      Sample(labels: labels(of: $0), value: seconds($0.longest))
    }
    return [
      Metric(
        name: "scheduler_wait_seconds",
        type: "summary",
        help: "Time for which operations waited for a worker.",
        samples: sums
      ),
      Metric(
        name: "scheduler_longest_wait_seconds",
        type: "gauge",
        help: "Longest time for which an operation waited for a worker.",
        samples: longest
      ),
    ]
  }

  private static func labels(of wait: SchedulerMetrics.Wait) -> String {
    ",priority=\"\(wait.priority.rawValue)\""
  }

  private static func seconds(_ nanoseconds: UInt64) -> String {
    seconds(.nanoseconds(Int64(clamping: nanoseconds)))
  }
}
