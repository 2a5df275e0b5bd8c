/// The clock of event loops: monotonic, in nanoseconds, the same for all loops.
///
/// It stands still while the machine is suspended, as libuv's does. Read it, and
/// reckon with its instants, on any thread. As a `Clock` it is that of one loop,
/// whose timers tasks sleep on: `EventLoop.clock`.
public struct LoopClock: Sendable {
  let core: PortCore

  /// A point in time of the loop clock.
  public struct Instant: Hashable, Sendable {
    /// Nanoseconds since the clock's origin, which is arbitrary.
    public let nanoseconds: UInt64

    /// The instant that many nanoseconds after the clock's origin.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }
  }

  /// The present, read from the system. About 26 ns.
  public static var now: Instant { Instant(nanoseconds: System.nanoseconds) }
}

extension LoopClock.Instant: InstantProtocol {
  /// The instant `duration` later, or earlier if that is negative; the clock's
  /// range is the limit.
  public func advanced(by duration: Duration) -> LoopClock.Instant {
    let step = duration.clampedNanoseconds
    let magnitude = step.magnitude
    let (moved, isOut) =
      step < 0
      ? nanoseconds.subtractingReportingOverflow(magnitude)
      : nanoseconds.addingReportingOverflow(magnitude)
    guard isOut else { return LoopClock.Instant(nanoseconds: moved) }
    return LoopClock.Instant(nanoseconds: step < 0 ? 0 : .max)
  }

  /// How much later `other` is; negative if it is earlier.
  public func duration(to other: LoopClock.Instant) -> Duration {
    other.nanoseconds >= nanoseconds
      ? .nanoseconds(Int64(clamping: other.nanoseconds - nanoseconds))
      : .nanoseconds(0 - Int64(clamping: nanoseconds - other.nanoseconds))
  }

  /// Whether `left` is earlier than `right`.
  public static func < (left: LoopClock.Instant, right: LoopClock.Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

extension Duration {
  /// The duration in whole nanoseconds, rounded towards zero; ±292 years at most.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, isOut) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if isOut { return seconds < 0 ? .min : .max }
    let (sum, isSumOut) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isSumOut ? (seconds < 0 ? .min : .max) : sum
  }
}
