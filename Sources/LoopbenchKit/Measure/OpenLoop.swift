package import LoopTransactionsTesting
private import CLoopbench

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

/// The times of one open-loop operation, all on one clock, in ns.
package struct OpenLoopSample: Equatable, Sendable {
  package let due: UInt64
  /// When the producer began it.
  package let started: UInt64
  /// When the loop was done with the one before; 0 for the first.
  package let free: UInt64
  package let ended: UInt64

  package init(due: UInt64, started: UInt64, free: UInt64, ended: UInt64) {
    self.due = due
    self.started = started
    self.free = free
    self.ended = ended
  }

  /// From when it was due to its end: what somebody who came then waited.
  package var intended: UInt64 { ended - min(due, ended) }

  /// From its start to its end, but for the time spent behind the one before.
  package var service: UInt64 { ended - min(max(started, free), ended) }

  /// From when it was due to its start.
  package var lag: UInt64 { started - min(due, started) }
}

extension Slice {
  /// Records an operation in the series and its companions `.service` and `.lag`,
  /// and counts it as missed when it started more than `tolerance` late.
  package mutating func record(_ sample: OpenLoopSample, tolerance: UInt64) {
    if sample.lag > tolerance { miss() }
    record(nanoseconds: Double(sample.intended))
    record(nanoseconds: Double(sample.service), as: series + ".service")
    record(nanoseconds: Double(sample.lag), as: series + ".lag")
  }

  /// Records the operations of a schedule that were started and ended in the
  /// order they were due. Those that were not started are missed; so are those
  /// that started too late, and they are recorded as well. The warm-up's are left
  /// out.
  ///
  /// - Parameters:
  ///   - started: As `OpenLoopSchedule.follow` returns it.
  ///   - ended: When each that was started ended.
  package mutating func record(
    _ schedule: OpenLoopSchedule,
    from origin: UInt64,
    started: [UInt64],
    ended: [UInt64]
  ) {
    var (next, free) = (ended.startIndex, UInt64(0))
    for (index, offset) in schedule.dues.enumerated() {
      let isRecorded = index >= effort.warmUps
      guard started[index] != 0, next < ended.endIndex else {
        if isRecorded { miss() }
        continue
      }
      let sample = OpenLoopSample(
        due: origin + offset,
        started: started[index],
        free: free,
        ended: ended[next]
      )
      if isRecorded {
        record(sample, tolerance: schedule.tolerance)
        note("due, not sent yet", on: .producer, from: sample.due, to: sample.started)
        note("sent, not answered yet", on: .loop, from: sample.started, to: sample.ended)
      }
      free = ended[next]
      next += 1
    }
  }
}

/// What an open-loop producer knows of time. Tests bring their own.
package struct PacingClock: Sendable {
  package let now: @Sendable () -> UInt64
  /// Returns some time after `deadline`, or long before it: what is left is spun.
  package let sleep: @Sendable (_ deadline: UInt64) -> Void
  package let spin: @Sendable (_ deadline: UInt64) -> Void

  package init(
    now: @escaping @Sendable () -> UInt64,
    sleep: @escaping @Sendable (_ deadline: UInt64) -> Void,
    spin: @escaping @Sendable (_ deadline: UInt64) -> Void
  ) {
    self.now = now
    self.sleep = sleep
    self.spin = spin
  }

  /// The monotonic clock.
  package static let system = PacingClock(
    now: { cl_now() },
    sleep: { cl_sleep_until($0) },
    spin: { cl_spin_until($0) }
  )
}
