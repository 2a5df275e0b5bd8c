/// A type that provides the drawing of a layer.
public protocol LayerDelegate: AnyObject {
  /// Returns a new task for one display of `layer`, with all the state to draw,
  /// or nil if there is nothing to draw.
  ///
  /// Called on the loop when a display begins.
  func displayTask(for layer: Layer) -> DisplayTask?
}
