/// Calls a closure once per frame, on an absolute schedule that does not drift.
///
/// Frame n is due at start + n × period, computed from the start each time. If
/// the loop is late, the frames in between are counted as missed, and the next
/// call is for the latest frame that is due. A late frame is therefore never
/// followed by a burst of calls. A clock belongs to the loop's thread. The loop
/// keeps it until `cancel()`, or until the loop is closed.
///
/// ```swift
/// let clock = try FrameClock(on: loop, framesPerSecond: 60) { frame in
///   scroll(to: frame.deadline)
/// }
/// ```
///
/// Modelled on CADisplayLink.
public final class FrameClock {
  /// One frame.
  public struct Frame: Hashable, Sendable {
    /// The number of the frame. Frame n is due n periods after the clock was
    /// created.
    public let index: Int

    /// The time at which the frame was due. Compute the frame's content from
    /// this, not from the time of the call.
    public let deadline: LoopClock.Instant

    /// The number of earlier frames that passed without a call.
    public let missed: Int
  }

  /// The requested frames per second.
  public let framesPerSecond: Double

  let core: PortCore
  private let body: (Frame) -> Void
  private var timer: LoopTimer?  // loop only
  private var next = 1  // loop only

  /// Starts a clock on `loop`. The first frame, number 1, is due in one period.
  ///
  /// Call on the loop.
  ///
  /// - Parameter body: Called on the loop for each frame, until `cancel()`.
  /// - Throws: `UVError` if the system is out of descriptors.
  /// - Precondition: `framesPerSecond` is greater than 0 and at most 100,000.
  public init(
    on loop: EventLoop,
    framesPerSecond: Double = 60,
    _ body: @escaping (Frame) -> Void
  ) throws(UVError) {
    require(
      framesPerSecond > 0 && framesPerSecond <= 100_000,
      "FrameClock: framesPerSecond must be over 0 and at most 100000, got \(framesPerSecond)"
    )
    loop.checkUsable("FrameClock.init")
    core = loop.core
    self.framesPerSecond = framesPerSecond
    self.body = body
    let origin = loop.now.nanoseconds
    let first = TimerSchedule.deadline(ofFrame: 1, origin, framesPerSecond)
    timer = try loop.makePreciseTimer(
      at: LoopClock.Instant(nanoseconds: first),
      .frames(origin: origin, rate: framesPerSecond)
    ) { [self] in tick($0) }
  }

  /// Whether the clock is running.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("FrameClock.isActive")
    return timer?.isActive ?? false
  }

  /// Stops the clock. Cancelling again does nothing.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  public func cancel() {
    core.checkThread("FrameClock.cancel")
    timer?.cancel()
    timer = nil
  }

  private func tick(_ firing: LoopTimer.Firing) {
    let index = next + firing.missed
    next = index + 1
    body(Frame(index: index, deadline: firing.deadline, missed: firing.missed))
  }
}
