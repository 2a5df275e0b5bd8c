/// The deadlines of a timer, in nanoseconds.
package enum TimerSchedule {
  /// A single deadline.
  case once
  /// A first deadline, and then a deadline after each interval of this many
  /// nanoseconds.
  case every(UInt64)
  /// Frame n is due at origin + n ÷ rate seconds. Each deadline is computed
  /// from the origin, so rounding errors do not accumulate.
  case frames(origin: UInt64, rate: Double)
  /// Deadlines that are requested one by one.
  case onRequest

  /// The result of a timer whose `deadline` has passed at `now`.
  package struct Step: Equatable {
    /// The latest deadline that has passed.
    package var due: UInt64
    /// The number of earlier deadlines that have passed as well.
    package var missed: Int
    /// The next deadline, or nil if there is none.
    package var next: UInt64?

    /// Creates a step.
    package init(due: UInt64, missed: Int, next: UInt64?) {
      self.due = due
      self.missed = missed
      self.next = next
    }
  }

  /// Returns the step of a timer at `now`, which must not be before `deadline`.
  package func step(from deadline: UInt64, at now: UInt64) -> Step {
    switch self {
    case .once, .onRequest: Step(due: deadline, missed: 0, next: nil)
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

  /// Returns the time at which frame `index` is due, clamped to the clock's
  /// maximum. Exact for 100 days, because a Double represents integers exactly
  /// up to 2^53.
  package static func deadline(ofFrame index: Int, _ origin: UInt64, _ rate: Double) -> UInt64 {
    let offset = (Double(index) * 1_000_000_000 / rate).rounded()
    guard offset < 0x1p64 else { return .max }
    let (deadline, isOut) = origin.addingReportingOverflow(UInt64(offset))
    return isOut ? .max : deadline
  }

  /// Returns the time at which the first frame after `time` is due.
  package static func deadline(
    ofFrameAfter time: UInt64,
    _ origin: UInt64,
    _ rate: Double
  ) -> UInt64 {
    deadline(ofFrame: frame(at: time, origin, rate) + 1, origin, rate)
  }

  /// Returns the latest frame that is due at `time`.
  static func frame(at time: UInt64, _ origin: UInt64, _ rate: Double) -> Int {
    var index = Int(Double(time - origin) * rate / 1_000_000_000)
    if deadline(ofFrame: index, origin, rate) > time { index -= 1 }
    if deadline(ofFrame: index + 1, origin, rate) <= time { index += 1 }
    return index
  }
}
