/// The closures that draw a layer once. A layer's delegate returns a new task
/// for each display.
///
/// `display` runs on a worker and must capture all the values it needs. The
/// other closures run on the loop. Each call of `willDisplay` is followed by
/// exactly one call of `didDisplay`, even if the display is cancelled, fails,
/// or outlives its layer. For each layer, the closures are called in the order
/// of its displays. If a newer display finishes first, `didDisplay` of a
/// cancelled display may be called while its last drawing step is still
/// running.
///
/// `willDisplay` and `didDisplay` receive the layer, so they need not capture
/// it. A task that captures its layer keeps it alive until the display has
/// ended. Otherwise releasing the layer cancels the display.
///
/// Modelled on YYKit's `YYAsyncLayerDisplayTask`.
public struct DisplayTask {
  /// Draws into `context`. Check `isCancelled` at least every few milliseconds,
  /// and return as soon as it is true. The bitmap of a cancelled display is
  /// discarded.
  public typealias Display =
    @Sendable (_ context: DrawingContext, _ size: Size, _ isCancelled: () -> Bool) throws -> Void

  /// Called on the loop with the layer, before the display begins.
  public var willDisplay: ((Layer) -> Void)?

  /// Called on a worker, or on the loop for a synchronous display. If nil,
  /// there is nothing to draw, and the layer's contents are removed.
  public var display: Display?

  /// Called on the loop exactly once, after the contents have been set, with
  /// the layer and the outcome. The layer is nil if it has been released.
  public var didDisplay: ((Layer?, DisplayOutcome) -> Void)?

  /// Creates a task from its closures.
  public init(
    willDisplay: ((Layer) -> Void)? = nil,
    didDisplay: ((Layer?, DisplayOutcome) -> Void)? = nil,
    display: Display?
  ) {
    self.willDisplay = willDisplay
    self.display = display
    self.didDisplay = didDisplay
  }
}
