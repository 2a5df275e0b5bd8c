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
    reportedSlowly(frame, loop, body)
  }

  @inline(never)
  private func reportedSlowly(_ frame: Frame, _ loop: EventLoop, _ body: () -> Void) {
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
    frameMeters.removeAll { $0 === old }
    if let new { frameMeters.append(new) }
    updateRecorder()
    recorder?.pointee.frameMeters = frameMeters
  }

  /// Records in a trace that a frame begins.
  func markFrame(_ index: Int, lateness: UInt64) {
    if traceRing != nil { recorder?.pointee.markFrame(index, lateness: lateness) }
  }
}
