/// How long operations waited, by level.
struct WaitTimes {
  private struct Level {
    var count: UInt64 = 0
    var total: UInt64 = 0
    var longest: UInt64 = 0
  }

  private var levels = [Level](repeating: Level(), count: OperationBacklog.lifted + 1)

  /// Takes note of one that waited for `nanoseconds`.
  mutating func record(_ nanoseconds: UInt64, level: Int) {
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
