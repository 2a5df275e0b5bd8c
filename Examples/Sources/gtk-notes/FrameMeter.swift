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
/// includes GTK's own layout and drawing. `loop` is the part of the loop and the program: its
/// handlers of GTK's signals in that time, which include the work that the loop performs in the
/// frame, and the longest tick or handler that ended in the 16.7 ms before. The frame may have
/// waited for that one. It does not wait for two, because GTK can draw after each of them.
final class FrameMeter {
  /// The time of a frame on a display with 60 frames per second, in nanoseconds.
  private static let interval: UInt64 = 16_666_667

  private(set) var frames = LatencyHistogram()
  private(set) var loop = LatencyHistogram()
  private(set) var framesOverLimit = 0
  private(set) var loopOverLimit = 0
  private(set) var longestWork = ""
  private var longest = Duration.zero
  private var began: UInt64?
  private var ticks: [Range<UInt64>] = []
  private var drawn: () -> Void = {}
  private var worst = (before: Duration.zero, inside: Duration.zero)

  /// Follows the frames of a window that was presented. Calls `drawn` after each frame.
  func follow(_ clock: OpaquePointer, of eventLoop: EventLoop, drawn: @escaping () -> Void) {
    HandlerTimes.isEnabled = true
    self.drawn = drawn
    connect(Pointer(clock), "before-paint", gtkFrameBegan, self)
    connect(Pointer(clock), "after-paint", gtkFrameEnded, self)
    eventLoop.tickHandler = { [unowned self] in ticked($0) }
  }

  var summary: [String] {
    [
      Self.line("frames", frames, over: framesOverLimit),
      Self.line("loop's side", loop, over: loopOverLimit),
      "worst frame: \(Self.milliseconds(worst.before)) before it, "
        + "\(Self.milliseconds(worst.inside)) in it",
      "longest work of the loop: \(longestWork.isEmpty ? "none" : longestWork)",
    ]
  }

  fileprivate func frameBegan() { began = LoopClock.now.nanoseconds }

  fileprivate func frameEnded() {
    guard let began else { return }
    let end = LoopClock.now.nanoseconds
    let before = (ticks + HandlerTimes.spans)
      .filter { $0.upperBound <= began && $0.upperBound + Self.interval > began }.map(\.count).max()
    let inside = HandlerTimes.spans.filter { $0.lowerBound >= began }.reduce(0) { $0 + $1.count }
    let own = (Duration.nanoseconds(before ?? 0), Duration.nanoseconds(inside))
    frames.record(.nanoseconds(Int64(end - began)))
    loop.record(own.0 + own.1)
    if end - began > Self.interval { framesOverLimit += 1 }
    if own.0 + own.1 > .nanoseconds(Int64(Self.interval)) { loopOverLimit += 1 }
    if own.0 + own.1 > worst.before + worst.inside { worst = own }
    self.began = nil
    ticks.removeAll(keepingCapacity: true)
    HandlerTimes.spans.removeAll(keepingCapacity: true)
    drawn()
  }

  private func ticked(_ tick: TickReport) {
    ticks.append(tick.start.nanoseconds..<max(tick.start, tick.end).nanoseconds)
    // Handlers that a tick called are a part of the tick.
    HandlerTimes.spans.removeAll { $0.lowerBound >= tick.start.nanoseconds }
    forget(before: tick.start.nanoseconds)
    guard let work = tick.longest, work.duration > longest else { return }
    (longest, longestWork) = (work.duration, "\(work.work), \(Self.milliseconds(work.duration))")
  }

  /// Drops the spans that belong to no frame, while there are no frames.
  private func forget(before time: UInt64) {
    guard began == nil, ticks.count > 1000 else { return }
    ticks.removeAll { $0.upperBound + Self.interval < time }
    HandlerTimes.spans.removeAll { $0.upperBound + Self.interval < time }
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
