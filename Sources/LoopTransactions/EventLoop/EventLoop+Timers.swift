import Synchronization

extension EventLoop {
  /// Calls `body` after `delay`, and then every `interval` if there is one.
  ///
  /// Call on the loop. Kept to the millisecond, never early.
  ///
  /// - Parameters:
  ///   - delay: Zero or less is due at once: when the millisecond is over, so not
  ///     necessarily in the next tick.
  ///   - interval: The periods; nil fires once.
  ///   - body: Called on the loop; released when the timer ends.
  /// - Returns: The timer, which need not be kept.
  /// - Precondition: `interval` is over zero.
  /// - Complexity: O(log n) of the loop's timers.
  @discardableResult
  public func addTimer(
    after delay: Duration,
    every interval: Duration? = nil,
    _ body: @escaping (LoopTimer.Firing) -> Void
  ) -> LoopTimer {
    checkUsable("EventLoop.addTimer")
    return makeTimer(at: now.advanced(by: max(delay, .zero)), .init(every: interval), body)
  }

  /// Calls `body` at `deadline`, and then every `interval` if there is one, to
  /// the nanosecond as far as the system's scheduler allows.
  ///
  /// Call on the loop. Each precise timer holds a timerfd on Linux. Elsewhere, and
  /// where the system refuses a timerfd to this process (a sandbox, for example),
  /// the timer is kept to the millisecond; the first such refusal of a process is
  /// reported on standard error. A deadline that passed is due at once.
  ///
  /// - Returns: The timer, which need not be kept.
  /// - Throws: `UVError` if the system is out of descriptors or memory.
  /// - Precondition: `interval` is over zero.
  /// - Complexity: O(1): two system calls.
  @discardableResult
  public func addPreciseTimer(
    at deadline: LoopClock.Instant,
    every interval: Duration? = nil,
    _ body: @escaping (LoopTimer.Firing) -> Void
  ) throws(UVError) -> LoopTimer {
    checkUsable("EventLoop.addPreciseTimer")
    return try makePreciseTimer(at: deadline, .init(every: interval), body)
  }

  func makeTimer(
    at deadline: LoopClock.Instant,
    _ schedule: TimerSchedule,
    _ body: @escaping (LoopTimer.Firing) -> Void
  ) -> LoopTimer {
    checkNotTornDown("EventLoop.addTimer")
    let timer = LoopTimer(loop: self, deadline: deadline, schedule: schedule, body: body)
    if let virtualTime {
      timer.start(.virtual(virtualTime))
    } else {
      timer.start(.milliseconds(UVTimer(loop: uv, owner: timer)))
    }
    return timer
  }

  func makePreciseTimer(
    at deadline: LoopClock.Instant,
    _ schedule: TimerSchedule,
    _ body: @escaping (LoopTimer.Firing) -> Void
  ) throws(UVError) -> LoopTimer {
    guard virtualTime == nil, DeadlineSource.isSupported else {
      return makeTimer(at: deadline, schedule, body)
    }
    checkNotTornDown("EventLoop.addPreciseTimer")
    let descriptor: Int32
    do {
      descriptor = try DeadlineSource.open(failing: timerRefusal)
    } catch {
      guard DeadlineSource.isRefusal(error) else { throw error }
      CoarseTimers.reportOnce(error)
      return makeTimer(at: deadline, schedule, body)
    }
    let timer = LoopTimer(loop: self, deadline: deadline, schedule: schedule, body: body)
    let source = try DeadlineSource(
      descriptor,
      loop: uv,
      owner: timer,
      reached: deadlineWasReached
    )
    timer.start(.precise(source))
    return timer
  }
}

/// Precise timers that are kept to the millisecond, as the system refuses better.
private enum CoarseTimers {
  private static let isReported = Atomic(false)

  /// Reports `error`, once in a process.
  static func reportOnce(_ error: UVError) {
    // Relaxed: only one exchange finds `false`.
    if isReported.exchange(true, ordering: .relaxed) { return }
    System.logToStandardError(
      "EventLoop.addPreciseTimer: timerfd_create failed: \(error.name); "
        + "precise timers of this process are kept to the millisecond"
    )
  }
}

extension TimerSchedule {
  /// Once if `interval` is nil, else with periods that long.
  ///
  /// - Precondition: `interval` is over zero.
  init(every interval: Duration?) {
    guard let interval else {
      self = .once
      return
    }
    require(interval > .zero, "LoopTimer: an interval must be over zero, got \(interval)")
    self = .every(UInt64(clamping: max(interval.clampedNanoseconds, 1)))
  }
}
