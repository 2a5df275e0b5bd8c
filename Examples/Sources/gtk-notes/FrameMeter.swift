import CGTKHeaders
import LoopTransactions

/// The times at which handlers of GTK's signals ran, for `FrameMeter`.
///
/// Main thread only: GTK calls all handlers there.
enum HandlerTimes {
  nonisolated(unsafe) static var isEnabled = false
  nonisolated(unsafe) fileprivate static var spans: [Range<UInt64>] = []
  nonisolated(unsafe) private static var depth = 0

  static func measure<Result>(_ body: () -> Result) -> Result {
    guard isEnabled else { return body() }
    let start = LoopClock.now.nanoseconds
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { spans.append(start..<max(start, LoopClock.now.nanoseconds)) }
    }
    return body()
  }
}

/// Measures the frames of GTK's frame clock.
///
/// `frames` is the time from GTK's signal "before-paint" to the end of "after-paint", which
/// includes GTK's own layout and drawing. `loop` is the part of the loop and the program in
/// the time from the end of the frame before: the loop's ticks, the work that it performs in
/// the frame, and the handlers of GTK's signals.
final class FrameMeter {
  /// A display with 60 frames per second.
  static let limit = Duration.nanoseconds(16_666_667)

  private(set) var frames = LatencyHistogram()
  private(set) var loop = LatencyHistogram()
  private(set) var framesOverLimit = 0
  private(set) var loopOverLimit = 0
  private(set) var longestWork = ""
  private var longest = Duration.zero
  private var began: UInt64?
  private var ticks = Duration.zero

  /// Follows the frames of a window that was presented.
  func follow(_ clock: OpaquePointer, of eventLoop: EventLoop) {
    HandlerTimes.isEnabled = true
    connect(Pointer(clock), "before-paint", gtkFrameBegan, self)
    connect(Pointer(clock), "after-paint", gtkFrameEnded, self)
    eventLoop.tickHandler = { [unowned self] in ticked($0) }
  }

  var summary: [String] {
    [
      Self.line("frames", frames, over: framesOverLimit),
      Self.line("loop's side", loop, over: loopOverLimit),
      "longest work of the loop: \(longestWork.isEmpty ? "none" : longestWork)",
    ]
  }

  fileprivate func frameBegan() { began = LoopClock.now.nanoseconds }

  fileprivate func frameEnded() {
    guard let began else { return }
    let frame = Duration.nanoseconds(Int64(LoopClock.now.nanoseconds - began))
    let handlers = HandlerTimes.spans.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    let own = ticks + .nanoseconds(Int64(handlers))
    frames.record(frame)
    loop.record(own)
    if frame > Self.limit { framesOverLimit += 1 }
    if own > Self.limit { loopOverLimit += 1 }
    (self.began, ticks) = (nil, .zero)
    HandlerTimes.spans.removeAll(keepingCapacity: true)
  }

  private func ticked(_ tick: TickReport) {
    ticks += tick.duration
    // Handlers that a tick called are a part of the tick.
    HandlerTimes.spans.removeAll { $0.lowerBound >= tick.start.nanoseconds }
    guard let work = tick.longest, work.duration > longest else { return }
    (longest, longestWork) = (work.duration, "\(work.work), \(Self.milliseconds(work.duration))")
  }

  private static func line(_ name: String, _ times: LatencyHistogram, over: Int) -> String {
    let (half, most) = (times.value(atPercentile: 50), times.value(atPercentile: 99))
    return "\(name): \(times.count), p50 \(milliseconds(half)), p99 \(milliseconds(most)), "
      + "max \(milliseconds(times.max)), \(over) over 16.7 ms"
  }

  private static func milliseconds(_ time: Duration) -> String {
    let hundredths = Int(time / .microseconds(10))
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) ms"
  }
}

private func gtkFrameBegan(_: Pointer?, _ data: Pointer?) {
  guard let data else { return }
  Unmanaged<FrameMeter>.fromOpaque(data).takeUnretainedValue().frameBegan()
}

private func gtkFrameEnded(_: Pointer?, _ data: Pointer?) {
  guard let data else { return }
  Unmanaged<FrameMeter>.fromOpaque(data).takeUnretainedValue().frameEnded()
}
