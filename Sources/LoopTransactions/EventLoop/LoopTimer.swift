/// A callback at a point in time, once or again and again.
///
/// Made by `EventLoop.addTimer` and `addPreciseTimer`. The loop keeps a timer,
/// and waits for it, until it has fired for the last time or is cancelled.
/// Belongs to the loop's thread.
///
/// A timer is never early, and never drifts: each period begins where the last
/// one ended, not when its callback ran. Periods that pass while the loop is
/// busy are counted, not made up for.
public final class LoopTimer {
  /// One call of a timer.
  public struct Firing: Hashable, Sendable {
    /// When the period that this call is for was due.
    public let deadline: LoopClock.Instant

    /// How many periods before it passed without a call.
    public let missed: Int
  }

  /// What tells the timer that its time has come.
  enum Source {
    case milliseconds(UVTimer)
    case precise(DeadlineSource)
    case virtual(VirtualTime)
    case none
  }

  let core: PortCore
  private let schedule: TimerSchedule
  private unowned let loop: EventLoop  // loop only; not touched once retired
  private var body: ((Firing) -> Void)?  // loop only
  private var source = Source.none  // loop only
  private var isWaitedFor = true  // loop only

  // Links of the loop's list of timers.
  unowned(unsafe) var next: LoopTimer?  // loop only
  unowned(unsafe) var previous: LoopTimer?  // loop only

  // When the timer fires next, or fired last.
  private(set) var due: LoopClock.Instant  // loop only

  init(
    loop: EventLoop,
    deadline: LoopClock.Instant,
    schedule: TimerSchedule,
    body: @escaping (Firing) -> Void
  ) {
    core = loop.core
    self.loop = loop
    due = deadline
    self.schedule = schedule
    self.body = body
  }

  /// When the timer fires next, or fired last.
  ///
  /// Call on the loop.
  public var deadline: LoopClock.Instant {
    core.checkThread("LoopTimer.deadline")
    return due
  }

  /// Whether the timer will fire.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("LoopTimer.isActive")
    return body != nil
  }

  /// Whether the loop's run waits for the timer. True unless set otherwise.
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

  /// Keeps the timer from firing again, and releases its callback.
  ///
  /// Call on the loop, from the callback too. Cancelling again does nothing.
  ///
  /// - Complexity: O(log n) in the loop's timers.
  public func cancel() {
    core.checkThread("LoopTimer.cancel")
    // The kernel's poll is shared with a parent, which waits for the timer still.
    if body != nil, !core.isForked { retire() }
  }
}

extension LoopTimer {
  /// Begins to wait. The loop's list keeps the timer from here on.
  func start(_ source: Source) {
    self.source = source
    loop.timers.add(self)
    arm()
    if loop.host != nil { loop.host?.loopChanged() }
  }

  /// The time may have come.
  func timerFired() {
    // The parent's to call. I15.
    guard !core.isForked else { return }
    if case .precise(let deadline) = source { deadline.acknowledge() }
    let now = loop.nanoseconds
    // libuv compares whole milliseconds of a clock that may lag.
    guard now >= due.nanoseconds else { return arm() }
    // Held: an adopted loop may be closed and dropped by what it calls.
    let loop = loop
    loop.isFiringTimer = true
    loop.calledBack { fire(at: now) }
    loop.isFiringTimer = false
  }

  /// Calls the callback, and lets go of it after the last time.
  private func fire(at now: UInt64) {
    guard let body else { return }
    body(advance(to: now))
  }

  /// Keeps the timer, in a child process, from firing and from being waited for.
  func stopInChild(of loop: UVLoop) {
    switch source {
    case .milliseconds(let timer): timer.stop()
    case .precise(let deadline): deadline.stopInChild(of: loop)
    case .virtual, .none: break
    }
  }

  /// Lets the kernel's source end by itself, should it fire in a child process
  /// that closed the loop.
  func leaveSource() { if case .precise(let deadline) = source { deadline.leaveOwner() } }

  /// The address of the libuv handle, if there is one.
  var address: UnsafeMutableRawPointer? {
    switch source {
    case .milliseconds(let timer): timer.address
    case .precise(let deadline): deadline.address
    case .virtual, .none: nil
    }
  }

  /// Counts the periods up to `now`, and begins the next or retires.
  private func advance(to now: UInt64) -> Firing {
    let step = schedule.step(from: due.nanoseconds, at: now)
    if let next = step.next {
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

  /// Milliseconds of the loop's own time, rounded up: never early.
  private var timeout: UInt64 {
    let (whole, rest) = due.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let end = rest == 0 ? whole : whole + 1
    let present = loop.uv.milliseconds
    // libuv 1.44 runs a timer that is due at once in the same pass, without
    // end if it starts another.
    let least: UInt64 = loop.isFiringTimer ? 1 : 0
    return end > present ? max(end - present, least) : least
  }

  private func retire() {
    // Released last, and not by the assignment: what goes with it may ask this
    // timer, and the list's hold of it ends before.
    withExtendedLifetime((self, body)) {
      leaveLoop()
      loop.timers.remove(self)
    }
  }

  /// Ends the timer, whose loop has let go of it or does so next.
  func leaveLoop() {
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
    switch source {
    case .milliseconds(let timer): timer.keepsLoopAlive(isWaitedFor)
    case .precise(let deadline): deadline.keepsLoopAlive(isWaitedFor)
    case .virtual, .none: break
    }
  }
}
