/// A surface with round corners, a border, a shadow and a picture behind what it draws.
///
/// Drawn in this order: shadow, background colour, background image, border, what the
/// kind of node draws, its parts. The shadow is part of the node's own bitmap, so the
/// canvas is smaller than the node by what its shadow needs: see `contentRect`. What
/// the node draws, and its parts where they are clipped, are clipped to the canvas.
///
/// ```swift
/// let card = CanvasNode()
/// card.cornerRadius = 8
/// card.backgroundColor = .white
/// card.border = Border(width: 1, color: Color(white: 0.8))
/// card.shadow = CanvasNode.Shadow(offset: Point(x: 0, y: 2), blur: 3, color: .black)
/// ```
///
/// After Graver's WMGCanvasView, whose setters of corners, border and shadow drew nothing
/// anew.
open class CanvasNode: Node {
  /// A shadow, as text has it.
  public typealias Shadow = TextStyle.Shadow

  /// A line along its edge; nil for none.
  public var border: Border? {
    didSet { if border != oldValue { setNeedsDisplay() } }
  }

  /// A shadow of the canvas's shape, whatever is in it; nil for none. One that is not
  /// finite, or whose blur is negative, is none.
  public var shadow: Shadow? {
    didSet { if shadow != oldValue { setNeedsLayout() } }
  }

  /// A picture over the background colour; nil for none. As in an `ImageNode`, the
  /// display waits for it, and is drawn without it if it can not be decoded; each display
  /// tries again, as there.
  public var backgroundImage: ImageSource? {
    didSet { if backgroundImage != oldValue || load?.failure != nil { imageDidChange() } }
  }

  /// How the picture fills the canvas.
  public var backgroundMode = ContentMode.aspectFill {
    didSet { if backgroundMode != oldValue { setNeedsDisplay() } }
  }

  // loop only, once it is loaded; `imageDidChange` checks.
  private var load: ImageLoad?

  override var loads: [ImageLoad] { load.map { [$0] } ?? [] }

  override var scratchBytes: Int {
    usableShadow?.scratchBytes(of: contentRect.size, scale: rasterizer.scale) ?? 0
  }

  /// The canvas: the node's bounds, less the room that its shadow needs.
  override public var contentRect: Rect {
    guard let shadow = usableShadow else { return bounds }
    let margin = shadow.margin
    let (left, top) = (max(0, margin - shadow.offset.x), max(0, margin - shadow.offset.y))
    let (right, bottom) = (max(0, margin + shadow.offset.x), max(0, margin + shadow.offset.y))
    return Rect(
      x: left,
      y: top,
      width: max(0, frame.size.width - left - right),
      height: max(0, frame.size.height - top - bottom)
    )
  }

  override func makeBackdrop() -> Backdrop? {
    let (shadow, image) = (usableShadow, load?.bitmap)
    if backgroundColor == nil, border == nil, shadow == nil, image == nil { return nil }
    return Backdrop(
      rect: contentRect,
      radius: cornerRadius,
      color: backgroundColor,
      border: border,
      shadow: shadow,
      image: image,
      mode: backgroundMode
    )
  }

  override open func didDisplay(_ outcome: DisplayOutcome) {
    super.didDisplay(outcome)
    guard outcome.isFinished else { return }
    for load in loads { load.forgive() }
  }

  private var usableShadow: Shadow? {
    shadow.flatMap { $0.isUsable ? $0 : nil }
  }

  private func imageDidChange() {
    check("CanvasNode.backgroundImage")
    load?.cancel()
    load = backgroundImage.map { ImageLoad($0, for: self) }
    setNeedsDisplay()
  }
}
