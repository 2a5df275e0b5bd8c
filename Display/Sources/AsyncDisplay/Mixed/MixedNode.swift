/// Text with pictures in its lines, and links that can be tapped.
///
/// It is set in lines where it is drawn, on a worker, which tells back where its links
/// came to be. Its pictures are decoded off the loop; the display waits for them, and is
/// drawn without those that can not be.
///
/// A touch on a link is the link's: it is told to `linkHandler`, not to actions. What is
/// no link lets touches through, unless the node has actions whose target is there.
///
/// After Graver's WMGMixedView, which shared one layout between overlapping drawings.
open class MixedNode: ControlNode {
  /// Where the lines go if there is more room than they need.
  public enum VerticalAlignment: Hashable, Sendable {
    /// To the top.
    case top
    /// Between top and bottom.
    case center
    /// To the bottom.
    case bottom
  }

  /// The text and its pictures.
  public var content = MixedText() {
    didSet { if content != oldValue { contentDidChange() } }
  }

  /// How it is set in lines.
  public var style = TextStyle() {
    didSet { if style != oldValue { setNeedsDisplay() } }
  }

  /// Where the lines go.
  public var verticalAlignment = VerticalAlignment.top {
    didSet { if verticalAlignment != oldValue { setNeedsDisplay() } }
  }

  /// What is behind a link while it is pressed.
  public var linkHighlight = Color(white: 0, alpha: 0.15) {
    didSet { check("MixedNode.linkHighlight") }
  }

  /// Called on the loop with the name of a link that was tapped.
  public var linkHandler: ((_ link: String) -> Void)? {
    didSet { check("MixedNode.linkHandler") }
  }

  /// The link that is pressed.
  ///
  /// Use it on the loop.
  public var pressedLink: String? { pressed.map { content.links[$0].name } }

  // What follows is loop only, once it is loaded: `contentDidChange`, the touches of a
  // control and `setNeedsDisplay` check.

  // Those in the lines.
  private var pictures: [ImageLoad] = []

  override var loads: [ImageLoad] { super.loads + pictures }

  override var scratchBytes: Int {
    let shadow = style.shadow?.scratchBytes(of: contentRect.size, scale: rasterizer.scale)
    return max(super.scratchBytes, shadow ?? 0)
  }

  // Those that are shown. Of the newest drawing that was displayed; none if that is of
  // an earlier content, whose links are others.
  private var regions: [MixedLayout.Region] = []
  // Where the drawing made last tells them; nil if that is of an earlier content. D4: it
  // may be displayed all the same.
  private var told: Guarded<[MixedLayout.Region]>?
  // The link that has the touch, and whether the touch is on it.
  private var touched: Int?
  private var pressed: Int? {
    didSet { if pressed != oldValue { setNeedsDisplay() } }
  }

  /// How large it comes out in `size`, which may be infinite either way.
  ///
  /// Call on the thread that builds the tree; on the loop if it is loaded.
  public func measure(in size: Size) -> TextMeasure { layout.measure(in: size) }

  private var layout: MixedLayout {
    MixedLayout(content: content, style: style, vertical: verticalAlignment)
  }

  override open func makeDrawing() -> DisplayTask.Display? {
    guard !content.isEmpty else {
      told = Guarded([])
      return nil
    }
    var layout = layout
    layout.bitmaps = pictures.map(\.bitmap)
    layout.pressed = pressed.map { ($0, linkHighlight) }
    let told = Guarded<[MixedLayout.Region]>([])
    self.told = told
    return { [layout] context, size, isCancelled in
      let regions = try layout.draw(in: context, size, isCancelled)
      told.withLock { $0 = regions }
    }
  }

  override open func didDisplay(_ outcome: DisplayOutcome) {
    super.didDisplay(outcome)
    // A display that is told of as displayed is the one begun last.
    guard outcome.isFinished, let told else { return }
    regions = told.withLock { $0 }
  }

  private func contentDidChange() {
    check("MixedNode.content")
    // Its links are of another text. Gone before anybody is told of the touch's end, who
    // may ask for them.
    pressed = nil
    regions = []
    told = nil
    touchCancelled()
    touched = nil
    for load in pictures { load.cancel() }
    pictures = content.images.map { ImageLoad($0.source, for: self) }
    setNeedsDisplay()
  }

  // Touches.

  /// Whether it is enabled, and has links, or actions whose target is there.
  override open var answersEvents: Bool {
    isEnabled && (!content.links.isEmpty || hasTargets)
  }

  override open func contains(_ point: Point) -> Bool {
    guard super.contains(point) else { return false }
    return hasTargets || (isTracking && touched != nil) || region(at: point) != nil
  }

  override var sendsTouches: Bool { touched == nil }

  override open func beginTracking(_ touch: Touch) -> Bool {
    touched = region(at: touch.location)
    pressed = touched
    return touched != nil || hasTargets
  }

  override open func continueTracking(_ touch: Touch) -> Bool {
    if touched != nil { pressed = region(at: touch.location) == touched ? touched : nil }
    return true
  }

  override open func endTracking(_ touch: Touch?) {
    pressed = nil
    guard let touch, let touched, region(at: touch.location) == touched else { return }
    linkHandler?(content.links[touched].name)
  }

  /// The name of the link that is shown at `point`, in the node's coordinates; nil if none
  /// is, or what is shown is not of this content yet.
  ///
  /// Call on the loop.
  public func link(at point: Point) -> String? {
    check("MixedNode.link")
    return region(at: point).map { content.links[$0].name }
  }

  private func region(at point: Point) -> Int? {
    let origin = contentRect.origin
    let point = Point(x: point.x - origin.x, y: point.y - origin.y)
    return regions.first { $0.rect.contains(point) }?.link
  }
}
