/// A node that shows an image, decoded on a worker.
///
/// The bitmap that contains the node is drawn after the image has been decoded
/// or its decoding has failed, so that all nodes in that bitmap appear
/// together. Nodes of one display that need equal images at the same time share
/// one decoding operation and one bitmap.
///
/// Modelled on Texture's `ASImageNode`.
open class ImageNode: Node {
  /// The image, or nil for no image. Setting an image that failed to load
  /// retries it.
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
  /// display decodes the image again, and between displays only the layer's
  /// contents occupy memory.
  public var keepsImage = true {
    didSet { check("ImageNode.keepsImage") }
  }

  /// The error of the last attempt to load the image, or nil if it succeeded.
  ///
  /// Use on the loop. Each display tries to load the image again, unless the
  /// result would be the same. Damaged data stays damaged, but a missing file
  /// may appear and memory may become available.
  public var failure: (any Error)? { load?.failure }

  // After the node is loaded, this is loop only: `inputDidChange` checks the
  // thread.
  private var load: ImageLoad?

  override var loads: [ImageLoad] { load.map { [$0] } ?? [] }

  /// Returns a closure that draws the image. An override need not call `super`.
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
