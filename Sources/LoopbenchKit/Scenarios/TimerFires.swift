/// How late the fires of one schedule were. One thread at a time.
final class TimerFires: @unchecked Sendable {
  // @unchecked: a timer calls one handler at a time, and whoever reads `lateness`
  // has waited for the last.
  private(set) var lateness: [Int64] = []
  private let count: Int

  init(count: Int) {
    self.count = count
    lateness.reserveCapacity(count)
  }

  var isComplete: Bool { lateness.count == count }

  /// A call for `periods` due times, of which `lastDue` is the last.
  func record(lastDue: UInt64, periods: Int, at now: UInt64) {
    for earlier in stride(from: periods - 1, through: 0, by: -1) where !isComplete {
      let due = lastDue - UInt64(earlier) * TimerLoad.interval
      lateness.append(Int64(now) - Int64(due))
    }
  }
}
