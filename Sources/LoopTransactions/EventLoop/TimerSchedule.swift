/// When a timer is due, once or again and again, in nanoseconds.
package enum TimerSchedule {
  /// Once.
  case once
  /// At the deadline, and then every so many nanoseconds.
  case every(UInt64)
  /// Frame n at the origin + n ÷ rate seconds, each computed anew: no rounding
  /// adds up.
  case frames(origin: UInt64, rate: Double)

  /// What a timer does whose `deadline` has passed at `now`.
  package struct Step: Equatable {
    /// The newest deadline that has passed.
    package var due: UInt64
    /// How many deadlines before that one passed too.
    package var missed: Int
    /// The next one; nil if there is none.
    package var next: UInt64?

    /// What is given.
    package init(due: UInt64, missed: Int, next: UInt64?) {
      self.due = due
      self.missed = missed
      self.next = next
    }
  }

  /// The step that a timer takes at `now`, which is `deadline` or later.
  package func step(from deadline: UInt64, at now: UInt64) -> Step {
    switch self {
    case .once: Step(due: deadline, missed: 0, next: nil)
    case .every(let interval): periodic(interval, from: deadline, at: now)
    case .frames(let origin, let rate): framed(origin, rate, from: deadline, at: now)
    }
  }

  private func periodic(_ interval: UInt64, from deadline: UInt64, at now: UInt64) -> Step {
    let missed = (now - deadline) / interval
    let due = deadline + missed * interval
    let (next, isOut) = due.addingReportingOverflow(interval)
    return Step(due: due, missed: Int(clamping: missed), next: isOut ? nil : next)
  }

  private func framed(
    _ origin: UInt64,
    _ rate: Double,
    from deadline: UInt64,
    at now: UInt64
  ) -> Step {
    let first = Self.frame(at: deadline, origin, rate)
    let newest = Self.frame(at: now, origin, rate)
    return Step(
      due: Self.deadline(ofFrame: newest, origin, rate),
      missed: newest - first,
      next: Self.deadline(ofFrame: newest + 1, origin, rate)
    )
  }

  /// When frame `index` is due, or the clock's end if that comes before. Exact for
  /// 100 days: a Double counts to 2^53.
  package static func deadline(ofFrame index: Int, _ origin: UInt64, _ rate: Double) -> UInt64 {
    let offset = (Double(index) * 1_000_000_000 / rate).rounded()
    guard offset < 0x1p64 else { return .max }
    let (deadline, isOut) = origin.addingReportingOverflow(UInt64(offset))
    return isOut ? .max : deadline
  }

  /// The newest frame that is due at `time`.
  private static func frame(at time: UInt64, _ origin: UInt64, _ rate: Double) -> Int {
    var index = Int(Double(time - origin) * rate / 1_000_000_000)
    if deadline(ofFrame: index, origin, rate) > time { index -= 1 }
    if deadline(ofFrame: index + 1, origin, rate) <= time { index += 1 }
    return index
  }
}
