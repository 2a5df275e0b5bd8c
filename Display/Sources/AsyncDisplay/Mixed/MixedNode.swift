import LoopTransactions

/// A control that shows text with inline images and tappable links.
///
/// The text is laid out and drawn on a worker, which also reports the
/// rectangles of the links. The images are decoded on workers. The node is
/// drawn after its images are decoded. Images that cannot be decoded are
/// omitted.
///
/// A touch on a link calls `linkHandler` instead of actions. A touch elsewhere
/// is passed to the nodes behind this node, unless the node has an action with
/// a live target.
///
/// Modelled on Graver's `WMGMixedView`.
open class MixedNode: ControlNode {
  /// The vertical position of the lines in a node that is higher than its
  /// lines.
  public enum VerticalAlignment: Hashable, Sendable {
    /// The lines are at the top.
    case top
    /// The lines are in the middle.
    case center
    /// The lines are at the bottom.
    case bottom
  }

  /// The text with its images and links.
  public var content = MixedText() {
    didSet { if content != oldValue { contentDidChange() } }
  }

  /// The line layout of the text.
  public var style = TextStyle() {
    didSet { if style != oldValue { setNeedsDisplay() } }
  }

  /// The vertical position of the lines.
  public var verticalAlignment = VerticalAlignment.top {
    didSet { if verticalAlignment != oldValue { setNeedsDisplay() } }
  }

  /// The highlight colour of a pressed link.
  public var linkHighlight = Color(white: 0, alpha: 0.15) {
    didSet { check("MixedNode.linkHighlight") }
  }

  /// Called on the loop with the name of a tapped link.
  public var linkHandler: ((_ link: String) -> Void)? {
    didSet { check("MixedNode.linkHandler") }
  }

  /// The name of the pressed link, or nil if no link is pressed.
  ///
  /// Use on the loop.
  public var pressedLink: String? { pressed.map { content.links[$0].name } }

  // After the node is loaded, the following properties are loop only.
  // `contentDidChange`, the touch functions and `setNeedsDisplay` check the
  // thread.

  // The loads of the inline images.
  private var pictures: [ImageLoad] = []

  override var loads: [ImageLoad] { super.loads + pictures }

  override var scratchBytes: Int {
    let shadow = style.shadow?.scratchBytes(of: contentRect.size, scale: rasterizer.scale)
    return max(super.scratchBytes, shadow ?? 0)
  }

  // The rectangles of the links in the displayed drawing. Empty if that drawing
  // shows earlier content with other links.
  private var regions: [MixedLayout.Region] = []
  // The rectangles of the links in the latest drawing, written by the worker
  // that draws it. Nil if that drawing shows earlier content, which D4 may
  // still display.
  private var drawnRegions: Locked<[MixedLayout.Region]>?
  // The link on which the touch began.
  private var touched: Int?
  private var pressed: Int? {
    didSet { if pressed != oldValue { setNeedsDisplay() } }
  }

  /// Returns the size of the text when laid out in `size`, which may be
  /// infinite in either dimension.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  public func measure(in size: Size) -> TextMeasure { layout.measure(in: size) }

  private var layout: MixedLayout {
    MixedLayout(content: content, style: style, vertical: verticalAlignment)
  }

  /// Returns a closure that draws the text and records the rectangles of links.
  ///
  /// An override must call `super`, and its closure must call the closure that
  /// `super` returned.
  override open func makeDrawing() -> DisplayTask.Display? {
    guard !content.isEmpty else {
      drawnRegions = Locked([])
      return nil
    }
    var layout = layout
    layout.bitmaps = pictures.map(\.bitmap)
    layout.pressed = pressed.map { ($0, linkHighlight) }
    let drawnRegions = Locked<[MixedLayout.Region]>([])
    self.drawnRegions = drawnRegions
    return { [layout] context, size, isCancelled in
      let regions = try layout.draw(in: context, size, isCancelled)
      drawnRegions.withLock { $0 = regions }
    }
  }

  override func updateState(after outcome: DisplayOutcome) {
    super.updateState(after: outcome)
    // A display with this outcome is the latest display that has begun, so
    // `drawnRegions` belongs to it.
    guard outcome.isFinished, let drawnRegions else { return }
    regions = drawnRegions.withLock { $0 }
  }

  private func contentDidChange() {
    check("MixedNode.content")
    // The links belong to the previous content. They are reset before the touch
    // is cancelled, because the cancellation calls user code that may ask for
    // links.
    pressed = nil
    regions = []
    drawnRegions = nil
    touchCancelled()
    touched = nil
    for load in pictures { load.cancel() }
    pictures = content.images.map { ImageLoad($0.source, for: self) }
    setNeedsDisplay()
  }

  // Touches.

  /// Whether the control is enabled and has a link or an action with a live
  /// target. An override need not call `super`.
  override open var answersEvents: Bool {
    isEnabled && (!content.links.isEmpty || hasTargets)
  }

  /// Returns whether `point` is on a link. If the node has an action with a
  /// live target, returns whether `point` is in the node.
  ///
  /// An override must call `super` for touches on links.
  override open func contains(_ point: Point) -> Bool {
    guard super.contains(point) else { return false }
    return hasTargets || (isTracking && touched != nil) || region(at: point) != nil
  }

  override var sendsTouches: Bool { touched == nil }

  /// Highlights the link where the touch began.
  ///
  /// An override must call `super`.
  override open func beginTracking(_ touch: Touch) -> Bool {
    touched = region(at: touch.location)
    pressed = touched
    return touched != nil || hasTargets
  }

  /// Updates the highlight of the link where the touch began.
  ///
  /// An override must call `super`.
  override open func continueTracking(_ touch: Touch) -> Bool {
    if touched != nil { pressed = region(at: touch.location) == touched ? touched : nil }
    return true
  }

  /// Calls `linkHandler` if the touch ended on the link where it began.
  ///
  /// An override must call `super`.
  override open func endTracking(_ touch: Touch?) {
    pressed = nil
    guard let touch, let touched, region(at: touch.location) == touched else { return }
    linkHandler?(content.links[touched].name)
  }

  /// Returns the name of the link shown at `point`, in the node's coordinates.
  /// Returns nil if no link is at `point`, or if the contents do not show the
  /// current `content` yet.
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
