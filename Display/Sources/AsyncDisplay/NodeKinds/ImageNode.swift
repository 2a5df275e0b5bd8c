/// A picture, decoded off the loop.
///
/// The picture that it is part of is drawn once its own is decoded, or can not be, so
/// that all parts appear together. Nodes of one display that want an equal picture at
/// the same time share one decoding, and one bitmap.
///
/// After Texture's ASImageNode.
open class ImageNode: Node {
  /// The picture; nil for none. Setting the one that could not be shown tries it again.
  public var image: ImageSource? {
    didSet { if image != oldValue || failure != nil { inputDidChange() } }
  }

  /// What is done to it before it is drawn.
  public var modification: ImageModification? {
    didSet { if modification != oldValue { inputDidChange() } }
  }

  /// How it fills the node.
  public var contentMode = ContentMode.aspectFill {
    didSet { if contentMode != oldValue { setNeedsDisplay() } }
  }

  /// Whether it keeps the decoded picture once it was displayed. One that does not
  /// decodes it again for each display, and holds no memory but its share of the
  /// contents.
  public var keepsImage = true {
    didSet { check("ImageNode.keepsImage") }
  }

  /// Why the picture could not be shown when it was last tried; nil if it could.
  ///
  /// Use it on the loop. Each display tries again, unless that would end the same way:
  /// damaged bytes stay damaged, but a file may come, and memory.
  public var failure: (any Error)? { load?.failure }

  // loop only, once it is loaded; `inputDidChange` checks.
  private var load: ImageLoad?

  override var loads: [ImageLoad] { load.map { [$0] } ?? [] }

  override open func makeDrawing() -> DisplayTask.Display? {
    guard let bitmap = load?.bitmap else { return nil }
    return { [contentMode] context, size, isCancelled in
      context.clip(to: Rect(size: size))
      let rect = contentMode.rect(of: bitmap.pixels, in: size, scale: context.scale)
      try context.draw(bitmap, in: rect, isCancelled: isCancelled)
    }
  }

  override open func didDisplay(_ outcome: DisplayOutcome) {
    super.didDisplay(outcome)
    guard outcome.isFinished else { return }
    if !keepsImage, case .displayed = outcome { load?.drop() }
    load?.forgive()
  }

  private func inputDidChange() {
    check("ImageNode.image")
    load?.cancel()
    load = image.map { ImageLoad($0, modification, for: self) }
    setNeedsDisplay()
  }
}
