/// Announces the frames of a screen, for code that must run at most once per
/// frame.
///
/// A clock with a closure calls it once per frame, on an absolute schedule that
/// does not drift. Frame n is due at start + n × period, computed from the start
/// each time. If the loop is late, the frames in between are counted as missed,
/// and the next call is for the latest frame that is due. A late frame is
/// therefore never followed by a burst of calls.
///
/// ```swift
/// let clock = try FrameClock(on: loop, framesPerSecond: 60) { frame in
///   scroll(to: frame.deadline)
/// }
/// ```
///
/// Any clock can be named in a commit, which is then performed at the clock's
/// next frame, once per frame at most. Commits beyond the budget of that tick
/// are performed in the next ticks, after the frame. A clock without a closure
/// has frames on the same schedule, but only while such commits wait. Otherwise
/// its timer is off, and it neither wakes the loop nor keeps a run from ending.
///
/// ```swift
/// let screen = try FrameClock(on: loop, framesPerSecond: 60)
/// loop.commit(label, Label.show, atNextFrameOf: screen)
/// ```
///
/// A host that knows when its screen shows a frame creates a clock with
/// `init(hostedOn:requestFrame:)` and announces the frames itself.
///
/// A clock belongs to the loop's thread. The loop keeps it until `cancel()`, or
/// until the loop is closed. Modelled on CADisplayLink.
public final class FrameClock {
  /// One frame.
  public struct Frame: Hashable, Sendable {
    /// The number of the frame. Frame n is due n periods after the clock was
    /// created. A host's frames are numbered from 1 as they are announced.
    public let index: Int

    /// The time at which the frame was due. Compute the frame's content from
    /// this, not from the time of the call. If a host announced the frame
    /// without a deadline, the time of the call.
    public let deadline: LoopClock.Instant

    /// The number of earlier frames that passed without a call. If the clock has
    /// no closure, those that passed while commits waited. A host's frames count
    /// only if it announces their deadlines. The clock then takes the shortest
    /// time between two deadlines, of the last 60 to 120, for the host's period.
    public let missed: Int
  }

  /// The source of the frames.
  private enum Source {
    /// A timer that fires at each frame.
    case timer((Frame) -> Void)
    /// A timer that fires at frames that were requested.
    case requestedTimer(origin: UInt64, rate: Double)
    /// A host. The closure requests a frame.
    case host(() -> Void)
  }

  /// The requested frames per second. Nil if a host announces the frames.
  public let framesPerSecond: Double?

  let core: PortCore
  private let source: Source
  private var timer: LoopTimer?  // loop only
  private var next = 1  // loop only
  // The frames that a host has announced.
  private var hosted = HostedFrames()  // loop only

  /// The time between two frames, if it is known.
  var period: Duration? {
    if let framesPerSecond { return .seconds(1 / framesPerSecond) }
    return hosted.period.map { .nanoseconds(Int64(clamping: $0)) }
  }

  /// The handler of frame reports, if there is one.
  var reporting: FrameReporting?  // loop only

  /// The commits that wait for the next frame, once there were any.
  var commits: FrameCommits?  // loop only

  private init(_ core: PortCore, _ source: Source, _ framesPerSecond: Double?) {
    self.core = core
    self.source = source
    self.framesPerSecond = framesPerSecond
  }

  /// Starts a clock on `loop`. The first frame, number 1, is due in one period.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls `body`.
  ///   - framesPerSecond: The rate of the schedule.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop for each frame, until `cancel()`. Commits that
  ///     waited for the frame are performed afterwards, before the loop waits.
  /// - Throws: `UVError` if the system is out of descriptors.
  /// - Precondition: `framesPerSecond` is greater than 0 and at most 100,000.
  public convenience init(
    on loop: EventLoop,
    framesPerSecond: Double = 60,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping (Frame) -> Void
  ) throws(UVError) {
    Self.checkRate(framesPerSecond)
    loop.checkUsable("FrameClock.init")
    self.init(loop.core, .timer(body), framesPerSecond)
    let origin = loop.now.nanoseconds
    let first = TimerSchedule.deadline(ofFrame: 1, origin, framesPerSecond)
    timer = try loop.makePreciseTimer(
      at: LoopClock.Instant(nanoseconds: first),
      schedule: .frames(origin: origin, rate: framesPerSecond),
      place: SourcePlace(fileID, line)
    ) { [self] in tick($0) }
  }

  /// Creates a clock on `loop` that has frames only while commits wait for them.
  ///
  /// Call on the loop. A commit that names the clock starts a timer for the next
  /// frame of the schedule. The loop's run waits for that frame as for any
  /// timer. Without waiting commits, the clock costs nothing.
  ///
  /// - Throws: `UVError` if the system is out of descriptors.
  /// - Precondition: `framesPerSecond` is greater than 0 and at most 100,000.
  public convenience init(on loop: EventLoop, framesPerSecond: Double = 60) throws(UVError) {
    Self.checkRate(framesPerSecond)
    loop.checkUsable("FrameClock.init")
    let origin = loop.now.nanoseconds
    self.init(
      loop.core,
      .requestedTimer(origin: origin, rate: framesPerSecond),
      framesPerSecond
    )
    timer = try loop.makePreciseTimer(
      at: LoopClock.Instant(nanoseconds: origin),
      schedule: .onRequest,
      place: nil
    ) { [self] in beginTimedFrame($0, origin, framesPerSecond) }
  }

  /// Creates a clock on `loop` whose frames a host announces by `beginFrame()`.
  ///
  /// Call on the loop. Without waiting commits, the clock asks for no frames.
  /// The loop's run does not wait for a host's frames.
  ///
  /// - Parameters:
  ///   - loop: The loop of the commits.
  ///   - requestFrame: Called on the loop when a commit needs a frame, and not
  ///     again until the host has announced one. For example, it queues a draw
  ///     of the window, whose frame callback then calls `beginFrame()`.
  public convenience init(hostedOn loop: EventLoop, requestFrame: @escaping () -> Void) {
    loop.checkUsable("FrameClock.init")
    self.init(loop.core, .host(requestFrame), nil)
    // Never fires. The loop keeps it, and with it the clock.
    timer = loop.makeUnarmedTimer { [self] _ in commits?.beginFrame() }
  }

  /// Whether the clock has frames: it was not cancelled, and its loop is open.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("FrameClock.isActive")
    return timer?.isActive ?? false
  }

  /// Stops the clock. Cancelling again does nothing.
  ///
  /// Call on the loop. Commits that wait for the clock's next frame are
  /// performed before the loop next waits.
  ///
  /// - Complexity: O(n) in the waiting commits.
  public func cancel() {
    core.checkThread("FrameClock.cancel")
    // The parent has the timer, and performs the commits.
    guard let timer, !core.isForked else { return }
    timer.cancel()
    self.timer = nil
    setReporting(nil)
    // Called last, because it may call the host of an embedded loop.
    commits?.beginFrame()
  }

  /// Announces a frame of a clock that a host drives. Performs the commits that
  /// waited for it, after all others that are pending, before it returns.
  ///
  /// Call on the loop, in the host's frame callback. The commits share one
  /// budget of `EventLoop.budget`. The next tick performs those beyond it, and
  /// all of them if this is called while transactions are being performed.
  /// Commits made meanwhile that name the clock wait for the next frame. Does
  /// nothing after `cancel()` and after the loop was closed.
  ///
  /// - Precondition: The clock was created by `init(hostedOn:requestFrame:)`.
  /// - Complexity: O(n) in the pending commits.
  public func beginFrame() { beginFrame(due: nil) }

  /// Announces a frame like `beginFrame()`, and tells when it was due.
  ///
  /// Call on the loop, in the host's frame callback.
  ///
  /// - Parameter deadline: The time when the host should have announced the
  ///   frame. It serves `frameHandler`, traces and `Frame.missed`, and does not
  ///   change when commits are performed.
  /// - Precondition: The clock was created by `init(hostedOn:requestFrame:)`.
  /// - Complexity: O(n) in the pending commits.
  public func beginFrame(deadline: LoopClock.Instant) { beginFrame(due: deadline) }

  private func beginFrame(due: LoopClock.Instant?) {
    core.checkThread("FrameClock.beginFrame")
    guard case .host = source else {
      trap(
        """
        FrameClock.beginFrame: the clock has a timer; create it with init(hostedOn:requestFrame:) \
        to announce its frames
        """
      )
    }
    guard isActive, !core.isForked, let loop = core.loopOnThread else { return }
    let (deadline, missed) = hosted.begin(due: due?.nanoseconds, at: loop.nanoseconds)
    let instant = LoopClock.Instant(nanoseconds: deadline)
    let frame = Frame(index: next, deadline: instant, missed: missed)
    next += 1
    withExtendedLifetime((self, loop)) {
      reported(frame) {
        if let commits, !commits.isEmpty { loop.performFrame(of: commits) }
      }
    }
  }

  /// Called when a commit waits for a frame, and no other does. Comes last in a
  /// commit, because it may call the host.
  func requestFrame() {
    guard !core.isForked else { return }
    switch source {
    case .timer: break
    case .requestedTimer(let origin, let rate):
      let now = core.loopOnThread?.nanoseconds ?? origin
      let deadline = TimerSchedule.deadline(ofFrameAfter: now, origin, rate)
      timer?.request(at: LoopClock.Instant(nanoseconds: deadline))
    case .host(let request):
      guard let loop = core.loopOnThread, hosted.request(at: loop.nanoseconds) else { return }
      request()
    }
  }

  /// Called when no commit waits for a frame any more.
  func withdrawRequest() {
    guard !core.isForked, case .requestedTimer = source else { return }
    timer?.withdrawRequest()
  }

  private func tick(_ firing: LoopTimer.Firing) {
    let index = next + firing.missed
    next = index + 1
    let frame = Frame(index: index, deadline: firing.deadline, missed: firing.missed)
    reported(frame) {
      commits?.beginFrame()
      guard case .timer(let body) = source else { return }
      body(frame)
    }
  }

  private func beginTimedFrame(_ firing: LoopTimer.Firing, _ origin: UInt64, _ rate: Double) {
    // The timer fires once, so it does not count the later frames that are due.
    let now = core.loopOnThread?.nanoseconds ?? firing.deadline.nanoseconds
    let step = TimerSchedule.frames(origin: origin, rate: rate)
      .step(from: firing.deadline.nanoseconds, at: now)
    let index = TimerSchedule.frame(at: step.due, origin, rate)
    let due = LoopClock.Instant(nanoseconds: step.due)
    reported(Frame(index: index, deadline: due, missed: step.missed)) {}
    // Called last, because it may call the host of an embedded loop.
    commits?.beginFrame()
  }

  private static func checkRate(_ framesPerSecond: Double) {
    require(
      framesPerSecond > 0 && framesPerSecond <= 100_000,
      "FrameClock: framesPerSecond must be over 0 and at most 100000, got \(framesPerSecond)"
    )
  }
}

/// The frames of a clock that a host announces. Times are in nanoseconds.
struct HostedFrames {
  /// The time between two frames, if it is known.
  private(set) var period: UInt64?
  // The deadline of the last frame that the host announced with one, and of the
  // latest frame that was due then.
  private var last: (announced: UInt64, due: UInt64)?
  // The shortest of the latest gaps between two deadlines, and of the 60 before.
  private var gaps = (count: 0, shortest: UInt64.max, before: UInt64.max)
  // When the frame was requested that has not begun yet.
  private var requested: UInt64?

  /// Returns whether no earlier request waits.
  mutating func request(at now: UInt64) -> Bool {
    if requested != nil { return false }
    requested = now
    return true
  }

  /// Begins a frame that was due at `due`. Returns the deadline of the latest
  /// frame that is due at `now`, and how many before it have passed since the
  /// request.
  mutating func begin(due: UInt64?, at now: UInt64) -> (deadline: UInt64, missed: Int) {
    let since = requested
    requested = nil
    guard let due else { return (now, 0) }
    guard let last, due > last.announced else {
      self.last = (due, due)
      return (due, 0)
    }
    let period = period(after: due - last.announced)
    let later = now > due ? (now - due) / period : 0
    // Rounded, because deadlines are not exact.
    let gap = due > last.due ? due - last.due : 0
    let passed = gap / period + (gap % period >= period - period / 2 ? 1 : 0)
    let waited = since.map { due > $0 ? (due - $0) / period : 0 } ?? 0
    let earlier = min(passed > 0 ? passed - 1 : 0, waited)
    self.last = (due, due + later * period)
    return (due + later * period, Int(clamping: earlier + later))
  }

  /// Returns the period after two deadlines that are `gap` apart.
  private mutating func period(after gap: UInt64) -> UInt64 {
    // 60: not measured. Older gaps are forgotten, because a single frame may come
    // early, and a window may move to a slower screen.
    if gaps.count == 60 { gaps = (0, .max, before: gaps.shortest) }
    gaps = (gaps.count + 1, min(gaps.shortest, gap), gaps.before)
    // 1 ms: no screen is faster.
    let new = max(1_000_000, min(gaps.shortest, gaps.before))
    period = new
    return new
  }
}

extension EventLoop {
  /// Performs the commits that waited for a host's frame, after those that are
  /// pending, within the budget.
  func performFrame(of part: FrameCommits) {
    let (isTicking, wasArmed) = (meter.isRunning, isArmed)
    // Between two ticks, a frame has a budget of its own.
    if isBetweenCallbacks { meter.refill() }
    calledBack {
      part.beginFrame()
      transactions.flush()
    }
    guard state != .closed, !wasTornDown else { return }
    if !isTicking { endFlush() }
    // The host of an embedded loop was not notified meanwhile.
    if hasPendingWork { host?.loopChanged() } else if !wasArmed { disarm() }
  }

  /// Whether no code of the loop is running.
  private var isBetweenCallbacks: Bool { state == .idle && !isCalledBack }
}
