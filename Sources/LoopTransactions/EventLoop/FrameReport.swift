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
