/// How a display ended.
public enum DisplayOutcome: Sendable {
  /// It was drawn, and is the layer's contents now.
  case displayed
  /// There was nothing to draw, for lack of a task or of a pixel: the contents are gone.
  case cleared
  /// It was cancelled, or a newer one came first. The layer is still to be displayed,
  /// unless a newer one did that.
  case cancelled
  /// It could not be drawn, for this. A `DisplayError`, or what the drawing threw.
  case failed(any Error)

  /// Whether the contents are now what they were meant to be.
  public var isFinished: Bool {
    switch self {
    case .displayed, .cleared: true
    case .cancelled, .failed: false
    }
  }
}
