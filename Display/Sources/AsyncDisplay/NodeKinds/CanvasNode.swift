/// A node with round corners, a border, a shadow and a background image.
///
/// The drawing order is: shadow, background colour, background image, border,
/// the drawing of the subclass, subnodes. The shadow is part of the node's
/// bitmap. The canvas is therefore smaller than the node by the margin that the
/// shadow needs; see `contentRect`. The node's drawing is clipped to the
/// canvas. If the node clips its subnodes, they are clipped to the canvas, too.
///
/// ```swift
/// let card = CanvasNode()
/// card.cornerRadius = 8
/// card.backgroundColor = .white
/// card.border = Border(width: 1, color: Color(white: 0.8))
/// let offset = Point(x: 0, y: 2)
/// card.shadow = CanvasNode.Shadow(offset: offset, blur: 3, color: .black)
/// ```
///
/// Modelled on Graver's `WMGCanvasView`.
open class CanvasNode: Node {
  /// The shadow of a canvas. Text shadows have the same type.
  public typealias Shadow = TextStyle.Shadow

  /// The border, drawn along the inside of the edge, or nil for no border.
  public var border: Border? {
    didSet { if border != oldValue { setNeedsDisplay() } }
  }

  /// The shadow of the canvas's outline, or nil for no shadow. A shadow with a
  /// negative blur or a value that is not finite is not drawn.
  public var shadow: Shadow? {
    didSet { if shadow != oldValue { setNeedsLayout() } }
  }

  /// The image drawn over the background colour, or nil for no image.
  ///
  /// The node is drawn after the image has been decoded, as in an `ImageNode`.
  /// If decoding fails, the node is drawn without the image, and each later
  /// display tries to decode it again.
  public var backgroundImage: ImageSource? {
    didSet { if backgroundImage != oldValue || load?.failure != nil { imageDidChange() } }
  }

  /// How the image fills the canvas.
  public var backgroundMode = ContentMode.aspectFill {
    didSet { if backgroundMode != oldValue { setNeedsDisplay() } }
  }

  // After the node is loaded, this is loop only: `imageDidChange` checks the
  // thread.
  private var load: ImageLoad?

  override var loads: [ImageLoad] { load.map { [$0] } ?? [] }

  override var scratchBytes: Int {
    usableShadow?.scratchBytes(of: contentRect.size, scale: rasterizer.scale) ?? 0
  }

  /// The canvas: the node's bounds minus the margin of the shadow.
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

  override func updateState(after outcome: DisplayOutcome) {
    super.updateState(after: outcome)
    guard outcome.isFinished else { return }
    for load in loads { load.allowRetry() }
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
