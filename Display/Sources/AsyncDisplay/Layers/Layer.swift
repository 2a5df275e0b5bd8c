public import LoopTransactions

/// An object that shows a bitmap, called its contents. The layer's delegate
/// draws the contents on a worker thread.
///
/// By default the layer shows its previous contents until the new contents are
/// ready; see `contentsPolicy`. A layer belongs to its loop's thread and must
/// be released there.
///
/// Modelled on YYKit's `YYAsyncLayer` and Texture's `_ASDisplayLayer`. Names
/// follow Core Animation's `CALayer`.
public final class Layer {
  /// The display that the layer belongs to.
  public let display: Display

  /// The delegate, which provides the drawing. Not retained.
  public weak var delegate: (any LayerDelegate)? {
    didSet { display.check("Layer.delegate") }
  }

  /// The name of the layer in traces and in `DisplayFrameReport`. If nil, the
  /// type of the delegate, which for a node is the type of the node.
  ///
  /// A trace keeps each different name until the process ends, and up to 4,096
  /// of them.
  public var name: String? {
    didSet { display.check("Layer.name") }
  }

  /// The size in points. Changing it does not redraw the contents, unless
  /// `needsDisplayOnSizeChange` is true or the previous size was not drawable.
  public var size = Size.zero {
    didSet { if size != oldValue { sizeDidChange() } }
  }

  /// The number of pixels per point.
  public var scale = 1.0 {
    didSet { if scale != oldValue { setNeedsDisplay() } }
  }

  /// Whether a change of `size` redraws the contents.
  public var needsDisplayOnSizeChange = false {
    didSet { display.check("Layer.needsDisplayOnSizeChange") }
  }

  /// Whether the contents are opaque. Opaque contents are filled with white and
  /// then with the background colour before they are drawn.
  public var isOpaque = false {
    didSet { if isOpaque != oldValue { setNeedsDisplay() } }
  }

  /// The fill colour of opaque contents.
  public var backgroundColor: Color? {
    didSet {
      display.check("Layer.backgroundColor")
      if isOpaque, backgroundColor != oldValue { setNeedsDisplay() }
    }
  }

  /// The contents that the layer shows during an asynchronous display.
  public var contentsPolicy = ContentsPolicy.keep {
    didSet { display.check("Layer.contentsPolicy") }
  }

  /// The bitmap for `ContentsPolicy.placeholder`.
  public var placeholder: Bitmap? {
    didSet { display.check("Layer.placeholder") }
  }

  /// Whether workers draw the layer. The display commit draws a synchronous
  /// layer on the loop.
  public var displaysAsynchronously = true {
    didSet { if displaysAsynchronously != oldValue { urgencyDidChange() } }
  }

  /// The priority of the layer among the displays that wait for memory or for a
  /// worker.
  public var priority = OperationPriority.normal {
    didSet { if priority != oldValue { urgencyDidChange() } }
  }

  /// The container of the layer. If the container collects, its layers appear
  /// together, after all its displays that began in one tick are finished. If
  /// nil, the layer appears as soon as it is drawn.
  public var container: TransactionContainer? {
    didSet { display.check("Layer.container") }
  }

  /// The duration of the fade when contents appear in an empty layer.
  public var fadeDuration = Duration.zero {
    didSet { display.check("Layer.fadeDuration") }
  }

  /// The bitmap that the layer shows.
  public private(set) var contents: Bitmap?

  /// The node that the layer belongs to. Not retained.
  weak var owner: (any LayerOwner)?

  let core: DisplayCore
  private var fadeBegan: LoopClock.Instant?

  /// Creates a layer without contents.
  ///
  /// Call on the loop.
  public init(in display: Display) {
    display.check("Layer.init")
    self.display = display
    core = DisplayCore(display)
    core.layer = self
  }

  deinit {
    // The task, and the delegate's objects that the task captured, must be
    // released on the loop.
    display.check("Layer.deinit")
    let core = core
    core.layer = nil
    core.change { $0.hold(.gone) }
  }
}

// Contents.
extension Layer {
  /// Removes the contents. A display that is under way is not cancelled, and
  /// its result will be shown.
  ///
  /// Call on the loop.
  public func clearContents() {
    display.check("Layer.clearContents")
    setContents(nil)
  }

  /// The opacity of the contents at `instant`. The opacity is below 1 while the
  /// contents fade in, and 0 if there are no contents.
  ///
  /// Call on the loop.
  public func contentsAlpha(at instant: LoopClock.Instant) -> Double {
    guard contents != nil else { return 0 }
    guard let fadeBegan, fadeDuration > .zero else { return 1 }
    return min(1, max(0, fadeBegan.duration(to: instant) / fadeDuration))
  }

  /// Shows the result of a display, or no contents if `bitmap` is nil. D13.
  func show(_ bitmap: Bitmap?) {
    // Fade only if the layer was empty, because replacing contents must not
    // flash.
    let wasEmpty = contents == nil || contents === placeholder
    setContents(bitmap)
    fadeBegan = wasEmpty && bitmap != nil && fadeDuration > .zero ? display.loop.now : nil
  }

  /// Applies the contents policy at the beginning of a display.
  func showMeanwhile() {
    switch contentsPolicy {
    case .keep: break
    case .clear: setContents(nil)
    case .placeholder: setContents(placeholder)
    }
  }

  /// Ends a fade early.
  func endFade() { fadeBegan = nil }

  private func setContents(_ bitmap: Bitmap?) {
    contents = bitmap
    fadeBegan = nil
  }

  private func urgencyDidChange() {
    display.check("Layer.priority")
    core.setPriority(priority)
    display.urgencyDidChange(of: core)
  }

  private func sizeDidChange() {
    display.check("Layer.size")
    let hadSize = core.hasSize
    core.hasSize = isDrawable
    // As in Texture, a display with a size that is not drawable does not count,
    // so the layer is displayed again when it gets a drawable size.
    display.urgencyDidChange(of: core)
    if needsDisplayOnSizeChange || (!hadSize && core.hasSize && core.state.generation > 0) {
      setNeedsDisplay()
    }
  }
}

// Drawing.
extension Layer {
  /// Returns the drawing of `task`, or nil if there is nothing to draw.
  func drawing(of task: DisplayTask?) throws(DisplayError) -> Drawing? {
    guard let body = task?.display, let pixels = try pixels() else { return nil }
    return Drawing(
      pixels: pixels,
      size: size,
      scale: scale,
      isOpaque: isOpaque,
      backgroundColor: backgroundColor,
      body: body
    )
  }

  /// The number of bytes of the next bitmap.
  var byteCount: Int {
    // try?: a layer that is not drawable needs no memory.
    (try? pixels())?.byteCount ?? 0
  }

  /// The number of bytes that the next display adds to the memory in flight.
  var inFlightBytes: Int { byteCount + (owner?.pictureScratchBytes ?? 0) }

  private var isDrawable: Bool { byteCount > 0 }

  private func pixels() throws(DisplayError) -> PixelSize? {
    do {
      return try PixelSize(size, scale: scale)
    } catch {
      throw .size(error)
    }
  }
}
