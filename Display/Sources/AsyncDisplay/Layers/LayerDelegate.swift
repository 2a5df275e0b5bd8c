/// Who knows how a layer is drawn.
public protocol LayerDelegate: AnyObject {
  /// A new task for one display of `layer`, with all of the state that it draws; nil if
  /// there is nothing to draw.
  ///
  /// Called on the loop, when a display begins.
  func displayTask(for layer: Layer) -> DisplayTask?
}
