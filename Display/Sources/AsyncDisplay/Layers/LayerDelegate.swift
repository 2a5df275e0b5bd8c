/// A type that provides the drawing of a layer.
public protocol LayerDelegate: AnyObject {
  /// Returns a new task for one display of `layer`, or nil if there is nothing
  /// to draw. The task captures all the state that is drawn.
  ///
  /// Called on the loop when a display begins.
  func displayTask(for layer: Layer) -> DisplayTask?
}
