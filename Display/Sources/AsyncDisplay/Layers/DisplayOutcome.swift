/// The result of a display.
public enum DisplayOutcome: Sendable {
  /// The bitmap was drawn and is now the layer's contents.
  case displayed
  /// The delegate returned no task, or the layer is smaller than one pixel, so
  /// the contents were removed.
  case cleared
  /// The display was cancelled, or a newer display was shown first. Unless a
  /// newer display was shown, the layer still needs display.
  case cancelled
  /// Drawing failed with a `DisplayError`, or with the error that the drawing
  /// closure threw.
  case failed(any Error)

  /// Whether this display brought the contents up to date.
  public var isFinished: Bool {
    switch self {
    case .displayed, .cleared: true
    case .cancelled, .failed: false
    }
  }
}
