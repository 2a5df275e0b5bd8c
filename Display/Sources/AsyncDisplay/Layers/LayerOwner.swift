/// The node that a layer belongs to. The node knows for which images a display
/// of the layer waits.
///
/// All members are used on the loop.
protocol LayerOwner: AnyObject {
  /// The number of bytes of temporary bitmaps that drawing needs in addition to
  /// the layer's bitmap.
  var pictureScratchBytes: Int { get }

  /// Called before a display begins and before the loop waits for a display.
  /// The display includes invalidations made in this function. If images are
  /// missing, the implementation holds the layer.
  func beforeDisplay()

  /// Called after a display has been reported.
  func displayDidEnd()

  /// Called when a display of the layer is requested while it is held.
  func displayWasRequested()

  /// Blocks until the images to draw are decoded or have failed.
  func waitForParts()
}
