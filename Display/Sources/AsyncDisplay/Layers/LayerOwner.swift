/// The node that a layer belongs to, which knows the images that its display
/// waits for.
///
/// All members are used on the loop.
protocol LayerOwner: AnyObject {
  /// The bytes of temporary bitmaps that drawing needs in addition to the
  /// layer's.
  var pictureScratchBytes: Int { get }

  /// Called before a display begins or is waited for. Invalidations made here
  /// are included in the display. If images are missing, the implementation
  /// holds the layer.
  func beforeDisplay()

  /// Called after a display has been reported.
  func displayDidEnd()

  /// Called when a display of the layer is requested while it is held.
  func displayWasRequested()

  /// Blocks until the images to draw are decoded or have failed.
  func waitForParts()
}
