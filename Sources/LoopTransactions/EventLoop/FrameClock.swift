/// Calls back once per frame, on an absolute schedule that never drifts.
///
/// Frame n is due at start + n × period, computed anew each time. When the loop
/// is late the frames in between are counted as missed, and the next call is for
/// the newest frame that is due: a late frame is never followed by a burst.
/// Belongs to the loop's thread. The loop keeps it until `cancel()`, or until the
/// loop is closed.
///
/// ```swift
/// let clock = try FrameClock(on: loop, framesPerSecond: 60) { frame in
///   scroll(to: frame.deadline)
/// }
/// ```
///
/// After CADisplayLink.
public final class FrameClock {
  /// One frame.
  public struct Frame: Hashable, Sendable {
    /// The frame's number: frame n is due n periods after the clock was made.
    public let index: Int

    /// When the frame was due. What is drawn should be computed from this, not
    /// from the time of the call.
    public let deadline: LoopClock.Instant

    /// How many frames before it passed without a call.
    public let missed: Int
  }

  /// The frames per second asked for.
  public let framesPerSecond: Double

  let core: PortCore
  private let body: (Frame) -> Void
  private var timer: LoopTimer?  // loop only
  private var next = 1  // loop only

  /// Starts a clock on `loop`; the first frame, number 1, is due one period from
  /// now.
  ///
  /// Call on the loop.
  ///
  /// - Parameter body: Called on the loop, until `cancel()`.
  /// - Throws: `UVError` if the system is out of descriptors.
  /// - Precondition: `framesPerSecond` is over 0 and at most 100,000.
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

  /// Whether frames are coming.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("FrameClock.isActive")
    return timer?.isActive ?? false
  }

  /// Ends the frames. Cancelling again does nothing.
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
