/// Whose layer it is, and who knows what it waits for: a node.
///
/// All of it is called on the loop.
protocol LayerOwner: AnyObject {
  /// Bytes of bitmaps that drawing it has beside the layer's.
  var pictureScratchBytes: Int { get }

  /// A display is about to begin, or to be waited for: what this invalidates is part of
  /// that, and what it lacks has the layer be held.
  func beforeDisplay()

  /// A display was told.
  func displayDidEnd()

  /// Somebody wants the layer displayed, and it is held.
  func layerIsAsked()

  /// Returns when what is drawn is there, or can not be.
  func waitForParts()
}
