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
    case precise(DeadlineSource)
    case virtual(VirtualTime)
    case none
  }

  let core: PortCore
  private let place: SourcePlace?
  private let schedule: TimerSchedule
  private unowned let loop: EventLoop  // loop only; not touched once retired
  private var body: ((Firing) -> Void)?  // loop only
  private var source = Source.none  // loop only
  private var isWaitedFor = true  // loop only
  // Whether a timer of the schedule `onRequest` has a deadline.
  private var isRequested = false  // loop only

  // Links of the loop's `TimerList`.
  unowned(unsafe) var next: LoopTimer?  // loop only
  unowned(unsafe) var previous: LoopTimer?  // loop only

  // The next deadline, or the last deadline if the timer has ended.
  private(set) var due: LoopClock.Instant  // loop only

  init(
    _ loop: EventLoop,
    at deadline: LoopClock.Instant,
    _ schedule: TimerSchedule,
    _ place: SourcePlace?,
    _ body: @escaping (Firing) -> Void
  ) {
    core = loop.core
    self.place = place
    self.loop = loop
    due = deadline
    self.schedule = schedule
    self.body = body
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
  /// - Complexity: O(log n) in the loop's timers.
  public func cancel() {
    core.checkThread("LoopTimer.cancel")
    // A child process shares the kernel's poll with its parent, which still
    // needs the timer.
    if body != nil, !core.isForked { retire() }
  }
}

extension LoopTimer {
  /// Starts the timer on `source` and adds it to the loop's list, which retains
  /// it.
  func start(_ source: Source) {
    self.source = source
    loop.timers.add(self)
    guard isDue else { return applyKeepsLoopAlive() }
    arm()
    if loop.host != nil { loop.host?.loopChanged() }
  }

  /// Makes a timer of the schedule `onRequest` fire at `deadline`. The loop's
  /// run waits for it. Comes last in its caller, because it may call the host of
  /// an embedded loop.
  func request(at deadline: LoopClock.Instant) {
    guard body != nil else { return }
    due = deadline
    isRequested = true
    applyKeepsLoopAlive()
    arm()
    if loop.host != nil { loop.host?.loopChanged() }
  }

  /// Reverts `request(at:)`, unless the timer has fired.
  func withdrawRequest() {
    guard isRequested, body != nil else { return }
    isRequested = false
    applyKeepsLoopAlive()
    switch source {
    case .milliseconds(let timer): timer.stop()
    case .precise(let deadline): deadline.disarm()
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
    // The parent fires the timer. I15.
    guard !core.isForked else { return }
    if case .precise(let deadline) = source { deadline.acknowledge() }
    // The request may have been withdrawn in the poll that found it due.
    guard isDue else { return }
    let now = loop.nanoseconds
    // The deadline may not have passed: libuv compares whole milliseconds, and
    // its clock may lag behind.
    guard now >= due.nanoseconds else { return arm() }
    // Retained, because a callback may close and release an adopted loop.
    let loop = loop
    loop.isFiringTimer = true
    if _slowPath(core.needsSlowTick) {
      fireRecorded(at: now, on: loop)
    } else {
      loop.calledBack { fire(at: now) }
    }
    loop.isFiringTimer = false
  }

  /// Does the same as `fire(at:)` while pieces of work are measured.
  @inline(never)
  private func fireRecorded(at now: UInt64, on loop: EventLoop) {
    loop.enterTick()
    loop.recorder?.pointee.wasDue(at: due.nanoseconds)
    let owner = place.map { OwnerWord(.timer, $0) } ?? OwnerWord(.timer)
    loop.recorded(owner) { loop.calledBack { fire(at: now) } }
  }

  /// Calls the callback. After the last call, releases it.
  private func fire(at now: UInt64) {
    guard let body else { return }
    body(advance(to: now))
  }

  /// Keeps the timer from firing, and the loop from waiting for it, in a child
  /// process.
  func stopInChild(of loop: UVLoop) {
    switch source {
    case .milliseconds(let timer): timer.stop()
    case .precise(let deadline): deadline.stopInChild(of: loop)
    case .virtual, .none: break
    }
  }

  /// Detaches from the timerfd. If it fires later in a child process that
  /// closed the loop, its poll handle is stopped.
  func detachSource() { if case .precise(let deadline) = source { deadline.detachOwner() } }

  /// The address of the libuv handle, if there is one.
  var address: UnsafeMutableRawPointer? {
    switch source {
    case .milliseconds(let timer): timer.address
    case .precise(let deadline): deadline.address
    case .virtual, .none: nil
    }
  }

  /// Counts the periods up to `now`, and starts the next one or ends the timer.
  private func advance(to now: UInt64) -> Firing {
    let step = schedule.step(from: due.nanoseconds, at: now)
    if isRequested {
      isRequested = false
      applyKeepsLoopAlive()
    } else if let next = step.next {
      due = LoopClock.Instant(nanoseconds: next)
      arm()
    } else {
      retire()
    }
    return Firing(deadline: LoopClock.Instant(nanoseconds: step.due), missed: step.missed)
  }

  private func arm() {
    switch source {
    case .milliseconds(let timer): timer.start(timeout: timeout, timerIsDue)
    case .precise(let source): source.arm(at: due.nanoseconds)
    case .virtual(let time): time.add(self)
    case .none: break
    }
  }

  /// The time until the deadline in milliseconds of libuv's clock, rounded up
  /// so that the timer is never early.
  private var timeout: UInt64 {
    let (whole, rest) = due.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let end = rest == 0 ? whole : whole + 1
    let present = loop.uv.milliseconds
    // libuv 1.44 fires a timer that is due at once in the same pass. A callback
    // that starts such a timer would make the pass endless.
    let least: UInt64 = loop.isFiringTimer ? 1 : 0
    return end > present ? max(end - present, least) : least
  }

  private func retire() {
    // The body is released after the list's reference, and not during the
    // assignment, because a `deinit` of its captures may use this timer.
    withExtendedLifetime((self, body)) {
      end()
      loop.timers.remove(self)
    }
  }

  /// Ends the timer. The loop has already removed the timer, or removes it
  /// next.
  func end() {
    withExtendedLifetime(body) {
      body = nil
      closeSource()
    }
  }

  private func closeSource() {
    switch source {
    case .milliseconds(let timer): timer.close()
    case .precise(let deadline): deadline.close()
    case .virtual(let time): time.remove(self)
    case .none: break
    }
    source = .none
  }

  private func applyKeepsLoopAlive() {
    let keeps = isWaitedFor && isDue
    switch source {
    case .milliseconds(let timer): timer.keepsLoopAlive(keeps)
    case .precise(let deadline): deadline.keepsLoopAlive(keeps)
    case .virtual, .none: break
    }
  }
}
