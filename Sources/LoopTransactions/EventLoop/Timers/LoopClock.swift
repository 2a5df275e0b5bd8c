/// The monotonic clock of event loops, in nanoseconds. All loops share its
/// time.
///
/// The clock stops while the machine is suspended, as libuv's does. Read it and
/// compute with its instants on any thread. As a `Clock`, an instance belongs
/// to one loop, and tasks sleep on that loop's timers: see `EventLoop.clock`.
public struct LoopClock: Sendable {
  let core: PortCore

  /// A point in time of the loop clock.
  public struct Instant: Hashable, Sendable {
    /// Nanoseconds since the clock's origin, which is arbitrary.
    public let nanoseconds: UInt64

    /// Creates an instant at `nanoseconds` after the clock's origin.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }
  }

  /// The current time, read from the system. Costs about 26 ns.
  public static var now: Instant { Instant(nanoseconds: System.nanoseconds) }
}

extension LoopClock.Instant: InstantProtocol {
  /// Returns the instant `duration` later, or earlier if it is negative. The
  /// result is clamped to the clock's range.
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

  /// Returns the time from this instant to `other`. Negative if `other` is
  /// earlier.
  public func duration(to other: LoopClock.Instant) -> Duration {
    other.nanoseconds >= nanoseconds
      ? .nanoseconds(Int64(clamping: other.nanoseconds - nanoseconds))
      : .nanoseconds(0 - Int64(clamping: nanoseconds - other.nanoseconds))
  }

  /// Returns whether `left` is earlier than `right`.
  public static func < (left: LoopClock.Instant, right: LoopClock.Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
