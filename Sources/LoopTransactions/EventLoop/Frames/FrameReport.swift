/// The measurements of one frame of a `FrameClock`, and the reason why it was
/// late. Passed to `FrameClock.frameHandler`.
///
/// A value: read it on any thread.
public struct FrameReport: Sendable {
  /// The reason why a frame was late.
  public enum Cause: Hashable, Sendable {
    /// The loop was busy. This is its longest piece of work since the previous
    /// frame, and its duration.
    case work(Work, Duration)
    /// The loop waited for the frame, but its thread did not run when the frame
    /// was due: it got no CPU, or the system's timer was late.
    case notScheduled
    /// The loop was not run when the frame was due. Its host or the program ran
    /// other code, or the thread got no CPU.
    case notRun
  }

  /// The frame: its number, its deadline, and the number of missed frames before
  /// it.
  public let frame: FrameClock.Frame

  /// The time when the clock's closure was called, or when the host announced
  /// the frame.
  public let start: LoopClock.Instant

  /// The time when the clock's closure returned. Work that the closure adds runs
  /// later. For a clock that a host drives, the time when the commits that
  /// waited for the frame were performed.
  public let end: LoopClock.Instant

  /// The time from the deadline until `start`. It counts from the deadline of
  /// the first missed frame, if frames were missed. Zero if a host announced the
  /// frame without its deadline.
  public let lateness: Duration

  private let reading: FrameMeter.Reading

  init(
    _ frame: FrameClock.Frame,
    start: LoopClock.Instant,
    end: LoopClock.Instant,
    lateness: Duration,
    _ reading: FrameMeter.Reading
  ) {
    (self.frame, self.start, self.end) = (frame, start, end)
    (self.lateness, self.reading) = (lateness, reading)
  }

  /// The longest piece of work of the loop since the previous frame, and its
  /// duration. It may be the closure of the previous frame. Nil if no time
  /// passed, or for the first frame after `frameHandler` was set in a callback.
  public var longest: (work: Work, duration: Duration)? {
    let duration = Duration.nanoseconds(Int64(clamping: reading.duration))
    return reading.duration == 0 ? nil : (Work(reading.work), duration)
  }

  /// The reason for most of the lateness. Nil if the frame was less than a
  /// millisecond late, or if no time was measured.
  public var cause: Cause? {
    guard lateness >= .milliseconds(1) else { return nil }
    let waited = Duration.nanoseconds(Int64(clamping: reading.waited))
    if waited * 2 > lateness { return reading.wasPolling ? .notScheduled : .notRun }
    return longest.map { .work($0.work, $0.duration) }
  }
}

extension FrameReport: CustomStringConvertible {
  /// One line, such as `frame 812 was 21.3 ms late: post App/Main.swift:12 ran
  /// for 19.1 ms`.
  public var description: String {
    guard lateness >= .milliseconds(1) else { return "frame \(frame.index) was in time" }
    let text = "frame \(frame.index) was \(lateness.brief) late"
    return cause.map { "\(text): \($0)" } ?? text
  }
}

extension FrameReport.Cause: CustomStringConvertible {
  /// A clause, such as `post App/Main.swift:12 ran for 19.1 ms`.
  public var description: String {
    switch self {
    case .work(let work, let duration): "\(work) ran for \(duration.brief)"
    case .notScheduled: "the loop's thread was not scheduled"
    case .notRun: "the loop was not run"
    }
  }
}

// Frames in reports and traces. X6.
extension FrameClock {
  /// Called after each frame with its measurements. Defaults to nil.
  ///
  /// Call on the loop. While set, the loop measures its ticks and pieces of work,
  /// which costs the same as `EventLoop.tickHandler`. The clock calls the handler
  /// at the end of a frame: after the clock's closure, or after the commits of a
  /// frame that a host announced. A clock without either calls it before the
  /// commits, which are performed later in the tick. The handler's time belongs
  /// to the frame. Nil after `cancel()`; a cancelled clock ignores a new value.
  ///
  /// ```swift
  /// clock.frameHandler = { report in
  ///   if report.frame.missed > 0 { print(report) }
  /// }
  /// ```
  public var frameHandler: ((FrameReport) -> Void)? {
    get {
      core.checkThread("FrameClock.frameHandler")
      return reporting?.handler
    }
    set {
      core.checkThread("FrameClock.frameHandler")
      setReporting(isActive ? newValue.map(FrameReporting.init) : nil)
    }
  }

  func setReporting(_ new: FrameReporting?) {
    let old = reporting
    reporting = new
    core.loopOnThread?.replaceFrameMeter(old?.meter, by: new?.meter)
    // Released after the access, because a `deinit` of the handler's captures
    // may use the clock.
    withExtendedLifetime(old) {}
  }

  /// Calls `body`, which is a frame, and reports it. Frames may be nested,
  /// because a host may announce one while another runs.
  @inline(__always)
  func reported(_ frame: Frame, _ body: () -> Void) {
    guard _slowPath(reporting != nil || LoopTrace.isRunning), let loop = core.loopOnThread else {
      return body()
    }
    measured(frame, loop, body)
  }

  @inline(never)
  private func measured(_ frame: Frame, _ loop: EventLoop, _ body: () -> Void) {
    let start = loop.nanoseconds
    let due = firstDeadline(of: frame).nanoseconds
    let late = start > due ? start - due : 0
    loop.markFrame(frame.index, lateness: late)
    let reporting = reporting
    let reading = reporting.flatMap { loop.recorder?.pointee.beginFrame($0.meter, due: due) }
    body()
    guard let reporting, let reading, self.reporting === reporting else { return }
    let report = FrameReport(
      frame,
      start: LoopClock.Instant(nanoseconds: start),
      end: LoopClock.Instant(nanoseconds: loop.nanoseconds),
      lateness: .nanoseconds(Int64(clamping: late)),
      reading
    )
    reporting.handler(report)
  }

  /// The deadline of the first of the frames that `frame` stands for.
  private func firstDeadline(of frame: Frame) -> LoopClock.Instant {
    guard frame.missed > 0, let period else { return frame.deadline }
    return frame.deadline.advanced(by: .zero - period * frame.missed)
  }
}

/// A handler of frames, and its measurements.
final class FrameReporting {
  let handler: (FrameReport) -> Void
  let meter = FrameMeter()

  init(_ handler: @escaping (FrameReport) -> Void) { self.handler = handler }
}

extension EventLoop {
  /// Starts or stops to measure the work between the frames of a clock.
  func replaceFrameMeter(_ old: FrameMeter?, by new: FrameMeter?) {
    recording.frameMeters.removeAll { $0 === old }
    if let new { recording.frameMeters.append(new) }
    updateRecorder()
    recorder?.pointee.frameMeters = recording.frameMeters
  }

  /// Records in a trace that a frame begins.
  func markFrame(_ index: Int, lateness: UInt64) {
    if isTraced { recorder?.pointee.markFrame(index, lateness: lateness) }
  }
}
