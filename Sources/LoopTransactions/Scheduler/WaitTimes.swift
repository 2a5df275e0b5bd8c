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
