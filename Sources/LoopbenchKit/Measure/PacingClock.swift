private import CLoopbench

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
