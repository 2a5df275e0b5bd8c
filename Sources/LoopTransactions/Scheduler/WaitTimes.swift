/// How long operations waited, by level.
struct WaitTimes {
  private struct Level {
    var count: UInt64 = 0
    var total: UInt64 = 0
    var longest: UInt64 = 0
  }

  private var levels = [Level](repeating: Level(), count: OperationBacklog.boostedLevel)

  /// The clock, in microseconds or so, as far as that goes into 32 bits; never 0.
  // Longer waits than 73 minutes are told too short.
  static var now: UInt32 { max(1, UInt32(truncatingIfNeeded: System.nanoseconds >> 10)) }

  /// Takes note of one that waited since `now` was `time`.
  mutating func record(since time: UInt32, level: Int) {
    let nanoseconds = UInt64(Self.now &- time) << 10
    // What was lifted is told with the most urgent.
    let level = min(level, OperationBacklog.boostedLevel - 1)
    levels[level].count += 1
    levels[level].total &+= nanoseconds
    levels[level].longest = max(levels[level].longest, nanoseconds)
  }

  /// The levels that had any, highest first.
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
