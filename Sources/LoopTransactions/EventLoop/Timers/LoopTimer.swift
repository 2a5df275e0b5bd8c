/// A one-shot or repeating timer.
///
/// Created by `EventLoop.addTimer` and `addPreciseTimer`. The loop keeps a
/// timer and waits for it until it has fired for the last time or is cancelled.
/// A timer belongs to the loop's thread.
///
/// A timer is never early and does not drift: each period begins at the end of
/// the previous period, not when the callback ran. Periods missed while the
/// loop is busy are counted, but not repeated.
///
/// Corresponds to `uv_timer_t` in libuv, `DispatchSourceTimer` in Dispatch, and
/// `Scheduled` and `RepeatedTask` in SwiftNIO.
public final class LoopTimer {
  /// One call of a timer's callback.
  public struct Firing: Hashable, Sendable {
    /// The deadline of the period for which the callback is called.
    public let deadline: LoopClock.Instant

    /// The number of earlier periods that passed without a call.
    public let missed: Int
  }

  /// The mechanism that fires the timer.
  enum Source {
    case milliseconds(UVTimer)
    case precise
    case virtual(VirtualTime)
    case none
  }

  /// The callback. `withExtendedLifetime` of a closure by itself allocates.
  private struct Body {
    let call: (Firing) -> Void
  }

  let core: PortCore
  private let place: SourcePlace?
  private let schedule: TimerSchedule
  // Loop only. Alive while the timer has a body, except in a child process. Not
  // an unowned reference, which is counted.
  private let loop: Unmanaged<EventLoop>
  @exclusivity(unchecked) private var body: Body?  // loop only
  @exclusivity(unchecked) private var source = Source.none  // loop only
  private var isWaitedFor = true  // loop only
  // Whether a timer of the schedule `onRequest` has a deadline.
  private var isRequested = false  // loop only

  // Whether the loop counts the timer among those that its run waits for.
  @exclusivity(unchecked) private var isAwaited = false  // loop only

  // The position among the loop's precise timers, or -1.
  @exclusivity(unchecked) package var heapIndex = -1  // loop only

  // Links of the loop's `TimerList`.
  @exclusivity(unchecked) var next: Unmanaged<LoopTimer>?  // loop only
  @exclusivity(unchecked) var previous: Unmanaged<LoopTimer>?  // loop only

  // The next deadline, or the last deadline if the timer has ended.
  @exclusivity(unchecked) private(set) var due: LoopClock.Instant  // loop only

  init(
    on loop: EventLoop,
    at deadline: LoopClock.Instant,
    schedule: TimerSchedule,
    place: SourcePlace?,
    _ body: @escaping (Firing) -> Void
  ) {
    core = loop.core
    self.place = place
    self.loop = .passUnretained(loop)
    due = deadline
    self.schedule = schedule
    self.body = Body(call: body)
  }

  /// The next deadline, or the last deadline if the timer has ended.
  ///
  /// Call on the loop.
  public var deadline: LoopClock.Instant {
    core.checkThread("LoopTimer.deadline")
    return due
  }

  /// Whether the timer will fire again.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("LoopTimer.isActive")
    return body != nil
  }

  /// Whether the loop's run waits for the timer. Defaults to true.
  ///
  /// Call on the loop.
  public var keepsLoopAlive: Bool {
    get {
      core.checkThread("LoopTimer.keepsLoopAlive")
      return isWaitedFor
    }
    set {
      core.checkThread("LoopTimer.keepsLoopAlive")
      isWaitedFor = newValue
      applyKeepsLoopAlive()
    }
  }

  /// Stops the timer and releases its callback.
  ///
  /// Call on the loop; calling it from the callback is fine. Cancelling again
  /// does nothing.
  ///
  /// - Complexity: O(log n) in the loop's timers. Makes no system call.
  public func cancel() {
    core.checkThread("LoopTimer.cancel")
    // A child process shares the kernel's poll with its parent, which still
    // needs the timer.
    if body != nil, !core.isForked { loop._withUnsafeGuaranteedRef { retire(on: $0) } }
  }
}

extension LoopTimer {
  /// Starts the timer of `loop` on `source` and adds it to the loop's list, which
  /// retains it.
  func start(_ source: Source, on loop: EventLoop) {
    self.source = source
    loop.timers.add(self)
    applyKeepsLoopAlive()
    guard isDue else { return }
    arm(on: loop)
    if loop.host != nil { loop.host?.loopChanged() }
  }

  /// Makes a timer of the schedule `onRequest` fire at `deadline`. The loop's
  /// run waits for it. Comes last in its caller, because it may call the host of
  /// an embedded loop.
  func request(at deadline: LoopClock.Instant) {
    guard body != nil else { return }
    due = deadline
    isRequested = true
    let loop = loop.takeUnretainedValue()
    applyKeepsLoopAlive()
    arm(on: loop)
    if loop.host != nil { loop.host?.loopChanged() }
  }

  /// Reverts `request(at:)`, unless the timer has fired.
  func withdrawRequest() {
    guard isRequested, body != nil else { return }
    isRequested = false
    applyKeepsLoopAlive()
    switch source {
    case .milliseconds(let timer): timer.stop()
    case .precise: if !core.isForked { loop.takeUnretainedValue().deadlines.remove(self) }
    case .virtual(let time): time.remove(self)
    case .none: break
    }
  }

  /// Whether the timer has a deadline to wait for.
  private var isDue: Bool {
    switch schedule {
    case .onRequest: isRequested
    case .once, .every, .frames: true
    }
  }

  /// Called when the deadline may have passed.
  func timerFired() {
    // The parent fires the timer.
    guard !core.isForked else { return }
    // The request may have been withdrawn in the poll that found it due.
    guard isDue else { return }
    // Retained, because a callback may close and release an adopted loop.
    let loop = loop.takeUnretainedValue()
    let now = loop.nanoseconds
    // The deadline may not have passed: libuv compares whole milliseconds, and
    // its clock may lag behind.
    guard now >= due.nanoseconds else { return arm(on: loop) }
    loop.isFiringTimer = true
    if _slowPath(core.needsSlowTick) {
      loop.enterTick()
      loop.recorder?.pointee.wasDue(at: due.nanoseconds)
    }
    loop.recorded(place.map { OwnerWord(.timer, $0) } ?? OwnerWord(.timer)) {
      loop.calledBack { fire(at: now, on: loop) }
    }
    loop.isFiringTimer = false
  }

  /// Calls the callback. After the last call, releases it.
  private func fire(at now: UInt64, on loop: EventLoop) {
    guard let body else { return }
    body.call(advance(to: now, on: loop))
  }

  /// Keeps the timer from firing, and the loop from waiting for it, in a child
  /// process. Does nothing for a precise timer, whose timerfd belongs to the
  /// loop.
  func stopInChild() { if case .milliseconds(let timer) = source { timer.stop() } }

  /// The address of the timer's own libuv handle, if it has one.
  var address: UnsafeMutableRawPointer? {
    if case .milliseconds(let timer) = source { timer.address } else { nil }
  }

  /// Counts the periods up to `now`, and starts the next one or ends the timer.
  private func advance(to now: UInt64, on loop: EventLoop) -> Firing {
    let step = schedule.step(from: due.nanoseconds, at: now)
    if isRequested {
      isRequested = false
      applyKeepsLoopAlive()
    } else if let next = step.next {
      due = LoopClock.Instant(nanoseconds: next)
      arm(on: loop)
    } else {
      retire(on: loop)
    }
    return Firing(deadline: LoopClock.Instant(nanoseconds: step.due), missed: step.missed)
  }

  private func arm(on loop: EventLoop) {
    switch source {
    case .milliseconds(let timer): timer.start(timeout: timeout(on: loop), timerIsDue)
    case .precise:
      loop.deadlines.add(self)
      loop.earliestDeadlineMayHaveChanged()
    case .virtual(let time): time.add(self)
    case .none: break
    }
  }

  /// The time until the deadline in milliseconds of libuv's clock, rounded up
  /// so that the timer is never early.
  private func timeout(on loop: EventLoop) -> UInt64 {
    let (whole, rest) = due.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let end = rest == 0 ? whole : whole + 1
    let present = loop.uv.milliseconds
    // libuv 1.44 fires a timer that is due at once in the same pass. A callback
    // that starts such a timer would make the pass endless.
    let least: UInt64 = loop.isFiringTimer ? 1 : 0
    return end > present ? max(end - present, least) : least
  }

  private func retire(on loop: EventLoop) {
    // The body is released after the list's reference, and not during the
    // assignment, because a `deinit` of its captures may use this timer.
    withExtendedLifetime((self, body)) {
      end(on: loop)
      loop.timers.remove(self)
    }
  }

  /// Ends the timer of `loop`, which may be being released. It has already
  /// removed the timer, or removes it next.
  func end(on loop: EventLoop) {
    withExtendedLifetime(body) {
      body = nil
      closeSource(on: loop)
    }
  }

  private func closeSource(on loop: EventLoop) {
    switch source {
    case .milliseconds(let timer): timer.close()
    case .precise:
      loop.deadlines.remove(self)
      if isAwaited { loop.deadlines.changeAwaited(by: -1) }
    case .virtual(let time): time.remove(self)
    case .none: break
    }
    source = .none
  }

  private func applyKeepsLoopAlive() {
    let keeps = isWaitedFor && isDue
    switch source {
    case .milliseconds(let timer): timer.keepsLoopAlive(keeps)
    case .precise:
      guard keeps != isAwaited, !core.isForked else { return }
      isAwaited = keeps
      loop._withUnsafeGuaranteedRef { $0.deadlines.changeAwaited(by: keeps ? 1 : -1) }
    case .virtual, .none: break
    }
  }
}

private func timerIsDue(_ handle: TimerHandle?) {
  owner(of: handle, as: LoopTimer.self)?.timerFired()
}
