/// How to draw a layer once: what its delegate hands out for each display.
///
/// `display` runs on a worker and must capture all it needs by value; the others run
/// on the loop. Each `willDisplay` is followed by exactly one `didDisplay`, in the
/// order of the displays of one layer, also when the display was cancelled, failed,
/// or its layer is gone. A cancelled display may still be at its last step by then, if
/// a newer one of the layer is done already.
///
/// After YYKit's YYAsyncLayerDisplayTask, whose did could be left out.
public struct DisplayTask {
  /// Draws. `isCancelled` is to be asked between steps that take long, some
  /// milliseconds at most; what was drawn by then is dropped, so just return.
  public typealias Display =
    @Sendable (_ context: DrawingContext, _ size: Size, _ isCancelled: () -> Bool) throws -> Void

  /// Called on the loop, before the display begins.
  public var willDisplay: (() -> Void)?

  /// Called on a worker, or on the loop for a synchronous display. Nil: there is nothing
  /// to draw, and the layer's contents go.
  public var display: Display?

  /// Called on the loop, once, after the contents were set if they are.
  public var didDisplay: ((DisplayOutcome) -> Void)?

  /// A task of these parts.
  public init(
    willDisplay: (() -> Void)? = nil,
    didDisplay: ((DisplayOutcome) -> Void)? = nil,
    display: Display?
  ) {
    self.willDisplay = willDisplay
    self.display = display
    self.didDisplay = didDisplay
  }
}
