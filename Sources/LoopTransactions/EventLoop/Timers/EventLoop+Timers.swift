import Synchronization

extension EventLoop {
  /// Calls `body` after `delay`, and then at every `interval` if given.
  ///
  /// Call on the loop. Timers have millisecond precision and are never early.
  ///
  /// Corresponds to `scheduleTask` and `scheduleRepeatedTask` in SwiftNIO and
  /// to `uv_timer_t` in libuv.
  ///
  /// - Parameters:
  ///   - delay: A delay of zero or less is due when the current millisecond is
  ///     over, which is not necessarily in the next tick.
  ///   - interval: The period of a repeating timer. If nil, the timer fires
  ///     once.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop. Released when the timer ends.
  /// - Returns: The timer. The loop keeps it, so the caller need not.
  /// - Precondition: `interval` is greater than zero.
  /// - Complexity: O(log n) in the loop's timers.
  @discardableResult
  public func addTimer(
    after delay: Duration,
    every interval: Duration? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping (LoopTimer.Firing) -> Void
  ) -> LoopTimer {
    checkUsable("EventLoop.addTimer")
    let (deadline, place) = (now.advanced(by: max(delay, .zero)), SourcePlace(fileID, line))
    return makeTimer(at: deadline, schedule: .init(every: interval), place: place, body)
  }

  /// Calls `body` at `deadline`, and then at every `interval` if given, with
  /// nanosecond deadlines.
  ///
  /// Call on the loop. The precision depends on the system's scheduler. On Linux
  /// all precise timers of a loop share one timerfd, which is opened for the
  /// first of them and kept until the loop closes. On other systems, and where
  /// the system does not permit a timerfd (for example in a sandbox), the timer
  /// has millisecond precision. The first such refusal in a process is reported
  /// on standard error.
  ///
  /// Timers with equal deadlines fire in the order in which they were added. A
  /// deadline in the past is due in the next poll. All timers that are due fire
  /// in the same tick; the budget does not limit them.
  ///
  /// - Returns: The timer. The loop keeps it, so the caller need not.
  /// - Throws: `UVError` if the loop has no timerfd yet, and the system is out of
  ///   descriptors or memory, or libuv cannot poll the timerfd.
  /// - Precondition: `interval` is greater than zero.
  /// - Complexity: O(log n) in the loop's precise timers. The timerfd is set at
  ///   most once per tick, just before the poll, if the earliest deadline has
  ///   changed. On an adopted loop, and between two turns of an embedded loop, a
  ///   timer with the earliest deadline sets it at once.
  @discardableResult
  public func addPreciseTimer(
    at deadline: LoopClock.Instant,
    every interval: Duration? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping (LoopTimer.Firing) -> Void
  ) throws(UVError) -> LoopTimer {
    checkUsable("EventLoop.addPreciseTimer")
    let place = SourcePlace(fileID, line)
    return try makePreciseTimer(at: deadline, schedule: .init(every: interval), place: place, body)
  }

  func makeTimer(
    at deadline: LoopClock.Instant,
    schedule: TimerSchedule,
    place: SourcePlace?,
    _ body: @escaping (LoopTimer.Firing) -> Void
  ) -> LoopTimer {
    checkNotTornDown("EventLoop.addTimer")
    let timer = LoopTimer(on: self, at: deadline, schedule: schedule, place: place, body)
    if let virtualTime {
      timer.start(.virtual(virtualTime), on: self)
    } else {
      timer.start(.milliseconds(UVTimer(loop: uv, owner: timer)), on: self)
    }
    return timer
  }

  /// Creates a timer that never fires by itself. The loop keeps it until it is
  /// cancelled, and does not wait for it.
  func makeUnarmedTimer(_ body: @escaping (LoopTimer.Firing) -> Void) -> LoopTimer {
    checkNotTornDown("FrameClock.init")
    let timer = LoopTimer(on: self, at: now, schedule: .onRequest, place: nil, body)
    timer.start(.none, on: self)
    return timer
  }

  func makePreciseTimer(
    at deadline: LoopClock.Instant,
    schedule: TimerSchedule,
    place: SourcePlace?,
    _ body: @escaping (LoopTimer.Firing) -> Void
  ) throws(UVError) -> LoopTimer {
    guard virtualTime == nil, DeadlineSource.isSupported else {
      return makeTimer(at: deadline, schedule: schedule, place: place, body)
    }
    checkNotTornDown("EventLoop.addPreciseTimer")
    guard try openDeadlines() else {
      return makeTimer(at: deadline, schedule: schedule, place: place, body)
    }
    let timer = LoopTimer(on: self, at: deadline, schedule: schedule, place: place, body)
    timer.start(.precise, on: self)
    return timer
  }
}

/// Precise timers with millisecond precision, because the system refused a
/// timerfd.
enum CoarseTimers {
  private static let isReported = Atomic(false)

  /// Reports `error` the first time it is called in a process.
  static func reportOnce(_ error: UVError) {
    // Relaxed: exactly one exchange finds `false`, in any order.
    if isReported.exchange(true, ordering: .relaxed) { return }
    System.logToStandardError(
      "EventLoop.addPreciseTimer: timerfd_create failed: \(error.name); "
        + "precise timers of this process have millisecond precision"
    )
  }
}

extension TimerSchedule {
  /// Creates a one-shot schedule if `interval` is nil, and a periodic schedule
  /// otherwise.
  ///
  /// - Precondition: `interval` is greater than zero.
  init(every interval: Duration?) {
    guard let interval else {
      self = .once
      return
    }
    require(interval > .zero, "LoopTimer: an interval must be positive, got \(interval)")
    self = .every(UInt64(clamping: max(interval.clampedNanoseconds, 1)))
  }
}

/// The active timers of a loop, in no particular order. Retains them.
///
/// The list is linked through the timers, so adding and removing allocate
/// nothing.
struct TimerList {
  private var first: Unmanaged<LoopTimer>?

  /// The number of active timers.
  private(set) var count = 0

  /// Adds and retains `timer`, which must not be in a list.
  mutating func add(_ timer: LoopTimer) {
    let added = Unmanaged.passRetained(timer)
    timer.previous = nil
    timer.next = first
    first?._withUnsafeGuaranteedRef { $0.previous = added }
    first = added
    count += 1
  }

  /// Removes and releases `timer`, which must be in this list.
  mutating func remove(_ timer: LoopTimer) {
    let (previous, next) = (timer.previous, timer.next)
    next?._withUnsafeGuaranteedRef { $0.previous = previous }
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.next = next }
    } else {
      first = next
    }
    timer.next = nil
    timer.previous = nil
    count -= 1
    Unmanaged.passUnretained(timer).release()
  }

  /// Any timer of the list.
  var any: LoopTimer? { first?.takeUnretainedValue() }

  /// Calls `body` with each timer. `body` must not add or remove timers.
  func forEach(_ body: (LoopTimer) -> Void) {
    var timer = first
    while let current = timer?.takeUnretainedValue() {
      body(current)
      timer = current.next
    }
  }

  /// The addresses of the timers' libuv handles.
  var addresses: [UnsafeMutableRawPointer] {
    var found: [UnsafeMutableRawPointer] = []
    forEach { if let address = $0.address { found.append(address) } }
    return found
  }
}
