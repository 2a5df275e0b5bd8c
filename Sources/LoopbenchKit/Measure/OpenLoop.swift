import LoopTransactions
package import LoopTransactionsTesting
private import CLoopbench

/// How often the producer of an open-loop series starts an operation.
public struct Pace: Codable, Equatable, Sendable {
  /// Operations per second.
  public let rate: Double
  /// The distribution of the times between operations.
  public let arrival: Arrival

  /// The distribution of the times between operations.
  public enum Arrival: String, Codable, CaseIterable, Sendable {
    /// All intervals are equal.
    case const
    /// Intervals are exponentially distributed, like the requests of many
    /// independent clients.
    case poisson
  }

  /// The valid rates.
  package static let rates: ClosedRange<Double> = 0.1...10_000_000

  /// Makes a pace.
  ///
  /// - Precondition: `rates` contains `rate`.
  package init(rate: Double, arrival: Arrival = .const) {
    require(Self.rates.contains(rate), "Pace: rate must be in \(Self.rates), got \(rate)")
    self.rate = rate
    self.arrival = arrival
  }

  /// The default: 1000 per second at equal intervals.
  package static let standard = Pace(rate: 1000)

  /// `1000/s const`.
  package var text: String { "\(Decimals.exact(rate))/s \(arrival.rawValue)" }
}

/// The due times of operations in an open loop.
///
/// The producer never waits for an operation to end. It sleeps until 100 us before
/// a due time and then spins, because a thread that only sleeps wakes up late by
/// more than the measured times. A late producer starts overdue operations
/// immediately, but skips an operation that is late by more than `patience`.
package struct OpenLoopSchedule: Equatable, Sendable {
  /// The due times in ns since the schedule's start, in ascending order.
  package let dues: [UInt64]
  /// How late, in ns, an operation may start before it counts as missed.
  package let tolerance: UInt64

  /// How late, in ns, an operation may start at all. An operation that is later is
  /// not started.
  package static let patience: UInt64 = 200_000_000
  private static let spun: UInt64 = 100_000

  package init(dues: [UInt64], tolerance: UInt64) {
    self.dues = dues
    self.tolerance = tolerance
  }

  /// Makes a schedule of `count` operations. Equal seeds produce equal
  /// schedules. The tolerance is the mean interval.
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
  ///   - start: Starts the operation with the given index. Must not wait for the
  ///     operation to end.
  /// - Returns: The time at which each operation was started; 0 if it was not
  ///   started.
  package func follow(
    from origin: UInt64,
    clock: PacingClock = PacingClock(),
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
  /// Returns a number from the exponential distribution of mean 1.
  package mutating func exponential() -> Double {
    // The argument is in (0, 1], because 0 has no logarithm.
    Logarithm.natural(Double(next() >> 11 + 1) * 0x1p-53) * -1
  }
}

/// The times of one open-loop operation, all on one clock, in ns.
package struct OpenLoopSample: Equatable, Sendable {
  package let due: UInt64
  /// The time at which the producer started the operation.
  package let started: UInt64
  /// The time at which the previous operation ended on the loop; 0 for the first
  /// operation.
  package let free: UInt64
  package let ended: UInt64

  package init(due: UInt64, started: UInt64, free: UInt64, ended: UInt64) {
    self.due = due
    self.started = started
    self.free = free
    self.ended = ended
  }

  /// The time from the due time to the end of the operation, which is the latency
  /// that a client would see.
  package var intended: UInt64 { ended - min(due, ended) }

  /// The time from the start of the operation to its end, without the wait for the
  /// previous operation.
  package var service: UInt64 { ended - min(max(started, free), ended) }

  /// The time from the due time to the start of the operation.
  package var lag: UInt64 { started - min(due, started) }
}

extension Slice {
  /// Records an operation in the series and its companions `.service` and `.lag`.
  /// Counts it as missed if it started more than `tolerance` late.
  package mutating func record(_ sample: OpenLoopSample, tolerance: UInt64) {
    if sample.lag > tolerance { miss() }
    record(nanoseconds: Double(sample.intended))
    record(nanoseconds: Double(sample.service), as: series + ".service")
    record(nanoseconds: Double(sample.lag), as: series + ".lag")
  }

  /// Records the operations of a schedule, which started and ended in the order of
  /// their due times. Operations that were not started, or were started too late,
  /// count as missed. Those that were started too late are also recorded. The
  /// warm-up is left out.
  ///
  /// - Parameters:
  ///   - started: The result of `OpenLoopSchedule.follow`.
  ///   - ended: The time at which each started operation ended.
  package mutating func record(
    _ schedule: OpenLoopSchedule,
    from origin: UInt64,
    started: [UInt64],
    ended: [UInt64]
  ) {
    var (next, free) = (ended.startIndex, UInt64(0))
    for (index, offset) in schedule.dues.enumerated() {
      let isRecorded = index >= workload.warmUps
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

/// The clock of an open-loop producer. Tests provide their own.
package struct PacingClock: Sendable {
  package var now: @Sendable () -> UInt64 = { cl_now() }
  /// Sleeps until about `deadline`. May return early, because the producer spins
  /// until the deadline.
  package var sleep: @Sendable (_ deadline: UInt64) -> Void = { cl_sleep_until($0) }
  package var spin: @Sendable (_ deadline: UInt64) -> Void = { cl_spin_until($0) }

  /// Makes the monotonic clock.
  package init() {}
}
