/// When operations are due, whatever becomes of those before them.
///
/// The producer never waits for an operation to end. It sleeps to 100 us before
/// a due time and spins from there: a sleep alone is late by more than is
/// measured. One that falls behind starts what is due at once, and leaves out
/// what it is later for than `patience`.
package struct OpenLoopSchedule: Equatable, Sendable {
  /// In ns since the schedule's start; they never go back.
  package let dues: [UInt64]
  /// How late, in ns, an operation may start and still keep the schedule.
  package let tolerance: UInt64

  /// How late, in ns, an operation may start; what would be later is missed.
  package static let patience: UInt64 = 200_000_000
  private static let spun: UInt64 = 100_000

  package init(dues: [UInt64], tolerance: UInt64) {
    self.dues = dues
    self.tolerance = tolerance
  }

  /// Makes a schedule of `count` operations. One seed has one schedule; one that
  /// starts more than a mean interval late does not keep it.
  package init(count: Int, pace: Pace, generator: inout SeededGenerator) {
    let interval = 1e9 / pace.rate
    tolerance = UInt64(interval)
    var due = 0.0
    dues = (0..<count).map { _ in
      due += pace.arrival == .const ? interval : interval * generator.exponential()
      return UInt64(due)
    }
  }
}

extension OpenLoopSchedule {
  /// Starts every operation when it is due.
  ///
  /// - Parameters:
  ///   - origin: When the schedule starts.
  ///   - start: Told the operation's index; must not wait for its end.
  /// - Returns: When each was started; 0 for what was missed.
  package func follow(
    from origin: UInt64,
    clock: PacingClock = .system,
    start: (Int) -> Void
  ) -> [UInt64] {
    var started = [UInt64](repeating: 0, count: dues.count)
    for (index, offset) in dues.enumerated() {
      let due = origin + offset
      let now = clock.now()
      guard now <= due + Self.patience else { continue }
      if now + Self.spun < due { clock.sleep(due - Self.spun) }
      clock.spin(due)
      started[index] = clock.now()
      start(index)
    }
    return started
  }
}

extension SeededGenerator {
  /// A number from the exponential distribution of mean 1.
  package mutating func exponential() -> Double {
    // (0, 1]: the logarithm of 0 is none.
    Logarithm.natural(Double(next() >> 11 + 1) * 0x1p-53) * -1
  }
}
