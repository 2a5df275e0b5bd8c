/// A node that shows an image, decoded on a worker.
///
/// The bitmap that includes the node is drawn once the image is decoded or has
/// failed, so that all nodes in it appear together. Nodes of one display that
/// need an equal image at the same time share one decoding and one bitmap.
///
/// Modelled on Texture's `ASImageNode`.
open class ImageNode: Node {
  /// The image; nil for none. Setting an image that failed tries it again.
  public var image: ImageSource? {
    didSet { if image != oldValue || failure != nil { inputDidChange() } }
  }

  /// The modification applied to the image before it is drawn.
  public var modification: ImageModification? {
    didSet { if modification != oldValue { inputDidChange() } }
  }

  /// How the image fills the node.
  public var contentMode = ContentMode.aspectFill {
    didSet { if contentMode != oldValue { setNeedsDisplay() } }
  }

  /// Whether the node keeps the decoded image after a display. If false, each
  /// display decodes it again, and the only memory used is the layer's
  /// contents.
  public var keepsImage = true {
    didSet { check("ImageNode.keepsImage") }
  }

  /// The error of the last attempt to load the image, or nil if it succeeded.
  ///
  /// Use on the loop. Each display tries again, unless the result would be the
  /// same: damaged bytes stay damaged, but a file may appear and memory may
  /// become available.
  public var failure: (any Error)? { load?.failure }

  // loop only, once the node is loaded; `inputDidChange` checks.
  private var load: ImageLoad?

  override var loads: [ImageLoad] { load.map { [$0] } ?? [] }

  /// Returns a closure that draws the image.
  override open func makeDrawing() -> DisplayTask.Display? {
    guard let bitmap = load?.bitmap else { return nil }
    return { [contentMode] context, size, isCancelled in
      context.clip(to: Rect(size: size))
      let rect = contentMode.rect(of: bitmap.pixels, in: size, scale: context.scale)
      try context.draw(bitmap, in: rect, isCancelled: isCancelled)
    }
  }

  override func updateState(after outcome: DisplayOutcome) {
    super.updateState(after: outcome)
    guard outcome.isFinished else { return }
    if !keepsImage, case .displayed = outcome { load?.drop() }
    load?.allowRetry()
  }

  private func inputDidChange() {
    check("ImageNode.image")
    load?.cancel()
    load = image.map { ImageLoad($0, modification, for: self) }
    setNeedsDisplay()
  }
}
