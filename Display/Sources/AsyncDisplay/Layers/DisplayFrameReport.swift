public import LoopTransactions

/// The displays of a loop between two frames, and why a frame was late or had
/// old contents.
///
/// A value: read it on any thread.
public struct DisplayFrameReport: Sendable {
  /// A display that took long, from its request to its end.
  public struct SlowDisplay: Hashable, Sendable {
    /// The name of the layer: `Layer.name`, or the type of its delegate, which
    /// for a node is the type of the node.
    public let name: String
    /// The time from the request until drawing began. It includes waiting for
    /// the display commit, for memory and for a worker, but not the decoding of
    /// images.
    public let waited: Duration
    /// The time that drawing took so far.
    public let drew: Duration
    /// Whether the loop draws the layer, and not a worker.
    public let isOnLoop: Bool
    /// Whether the display has ended. Otherwise the frame shows older contents
    /// of the layer, or none.
    public let isFinished: Bool

    var total: Duration { waited + drew }
  }

  /// The frame, how late it was, and the work that made it late.
  public let frame: FrameReport

  /// The number of displays that were shown since the previous report.
  public let displayed: Int

  /// The number of displays that were cancelled since the previous report.
  public let cancelled: Int

  /// The number of displays that are under way, including cancelled ones whose
  /// drawing has not stopped yet.
  public let drawing: Int

  /// The number of layers that wait for the display commit or for memory.
  public let waiting: Int

  /// The slowest display that has ended since the previous report or is under
  /// way. Cancelled ones, failed ones and those that had nothing to draw do not
  /// count. Nil if there is none, or if `Display.measuresDrawing` is false.
  public let slowest: SlowDisplay?

  init(
    _ frame: FrameReport,
    _ metrics: DisplayMetrics,
    since last: DisplayMetrics,
    slowest: SlowDisplay?
  ) {
    self.frame = frame
    displayed = metrics.displayed - last.displayed
    cancelled = metrics.cancelled - last.cancelled
    drawing =
      metrics.begun - metrics.displayed - metrics.cleared - metrics.cancelled - metrics.failed
    waiting = metrics.waiting
    self.slowest = slowest
  }
}

extension DisplayFrameReport: CustomStringConvertible {
  /// One line, such as `frame 812 was in time; 3 displays shown, 1 drawing;
  /// slowest Card waited 3.1 ms and has been drawn for 18.4 ms`.
  public var description: String {
    var counts = ["\(displayed) display\(displayed == 1 ? "" : "s") shown"]
    if cancelled > 0 { counts.append("\(cancelled) cancelled") }
    if drawing > 0 { counts.append("\(drawing) drawing") }
    if waiting > 0 { counts.append("\(waiting) waiting") }
    let text = "\(frame); \(counts.joined(separator: ", "))"
    return slowest.map { "\(text); slowest \($0)" } ?? text
  }
}

extension DisplayFrameReport.SlowDisplay: CustomStringConvertible {
  /// A clause, such as `Card waited 3.1 ms and was drawn on the loop for 18.4
  /// ms`.
  public var description: String {
    let drawn = isFinished ? "was drawn" : drew == .zero ? "is not drawn yet" : "has been drawn"
    let text = "\(name) waited \(waited.milliseconds) and \(drawn)"
    if drew == .zero, !isFinished { return text }
    return "\(text)\(isOnLoop ? " on the loop" : "") for \(drew.milliseconds)"
  }
}

extension Duration {
  /// With one decimal, such as `18.4 ms`.
  fileprivate var milliseconds: String {
    let tenths = Int((self / .microseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
