/// The result of a display.
public enum DisplayOutcome: Sendable {
  /// The bitmap was drawn and is now the layer's contents.
  case displayed
  /// There was no task or not a single pixel to draw, so the contents were
  /// removed.
  case cleared
  /// The display was cancelled, or a newer display was shown first. Unless a
  /// newer display was shown, the layer still needs display.
  case cancelled
  /// Drawing failed with a `DisplayError`, or with the error that the drawing
  /// closure threw.
  case failed(any Error)

  /// Whether the contents are up to date as of this display.
  public var isFinished: Bool {
    switch self {
    case .displayed, .cleared: true
    case .cancelled, .failed: false
    }
  }
}
