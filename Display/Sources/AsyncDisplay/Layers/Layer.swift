public import LoopTransactions

/// Something that shows a bitmap, its contents, which its delegate has drawn off the
/// loop.
///
/// What it showed stays until the new contents are ready, unless it is told otherwise.
/// Belongs to its loop's thread, and must be let go of there.
///
/// After YYKit's YYAsyncLayer and Texture's display layer.
public final class Layer {
  /// What it shares with other layers of the loop.
  public let display: Display

  /// Who knows how it is drawn. Not kept alive.
  public weak var delegate: (any LayerDelegate)? {
    didSet { display.check("Layer.delegate") }
  }

  /// How large it is, in points. Changing it draws nothing anew, unless
  /// `needsDisplayOnBoundsChange`, or what it showed had no size.
  public var bounds = Size.zero {
    didSet { if bounds != oldValue { boundsDidChange() } }
  }

  /// How many pixels make a point.
  public var scale = 1.0 {
    didSet { if scale != oldValue { setNeedsDisplay() } }
  }

  /// Whether a change of `bounds` has it drawn anew.
  public var needsDisplayOnBoundsChange = false {
    didSet { display.check("Layer.needsDisplayOnBoundsChange") }
  }

  /// Whether its contents cover all of it: they are filled white, then with the
  /// background colour, before they are drawn.
  public var isOpaque = false {
    didSet { if isOpaque != oldValue { setNeedsDisplay() } }
  }

  /// What opaque contents are filled with.
  public var backgroundColor: Color? {
    didSet {
      display.check("Layer.backgroundColor")
      if isOpaque, backgroundColor != oldValue { setNeedsDisplay() }
    }
  }

  /// What it shows while it is displayed asynchronously.
  public var contentsPolicy = ContentsPolicy.keep {
    didSet { display.check("Layer.contentsPolicy") }
  }

  /// What it shows by `ContentsPolicy.placeholder`.
  public var placeholder: Bitmap? {
    didSet { display.check("Layer.placeholder") }
  }

  /// Whether it is drawn on workers. A synchronous layer is drawn on the loop, by the
  /// display commit.
  public var displaysAsynchronously = true {
    didSet { if displaysAsynchronously != oldValue { urgencyDidChange() } }
  }

  /// Which displays come first, of those that wait for memory or a worker.
  public var priority = OperationPriority.normal {
    didSet { if priority != oldValue { urgencyDidChange() } }
  }

  /// What it is a part of: layers of one container that collects appear together, once
  /// all that were begun in a tick are drawn. Nil: it appears as soon as it is drawn.
  public var container: TransactionContainer? {
    didSet { display.check("Layer.container") }
  }

  /// How long new contents take to become opaque where there were none before.
  public var fadeDuration = Duration.zero {
    didSet { display.check("Layer.fadeDuration") }
  }

  /// What it shows.
  public private(set) var contents: Bitmap?

  /// Whose layer it is, beyond how it is drawn. Not kept alive.
  weak var owner: (any LayerOwner)?

  let core: DisplayCore
  private var fadeBegan: LoopClock.Instant?

  /// A layer that shows nothing.
  ///
  /// Call on the loop.
  public init(in display: Display) {
    display.check("Layer.init")
    self.display = display
    core = DisplayCore(display)
    core.layer = self
  }

  deinit {
    // D-26: what its task holds, and its delegate's part of it, is the loop's.
    display.check("Layer.deinit")
    let core = core
    core.layer = nil
    core.change { $0.hold(.gone) }
  }
}

// Contents.
extension Layer {
  /// Shows nothing, now. What is under way is not cancelled, and is shown.
  ///
  /// Call on the loop.
  public func clearContents() {
    display.check("Layer.clearContents")
    setContents(nil)
  }

  /// How opaque its contents are at `instant`: less than 1 while they fade in.
  ///
  /// Call on the loop.
  public func contentsAlpha(at instant: LoopClock.Instant) -> Double {
    guard contents != nil else { return 0 }
    guard let fadeBegan, fadeDuration > .zero else { return 1 }
    return min(1, max(0, fadeBegan.duration(to: instant) / fadeDuration))
  }

  /// Shows what a display made, or that it made nothing.
  func show(_ bitmap: Bitmap?) {
    // D13: only from empty, for what replaces something must not flash.
    let wasEmpty = contents == nil || contents === placeholder
    setContents(bitmap)
    fadeBegan = wasEmpty && bitmap != nil && fadeDuration > .zero ? display.loop.now : nil
  }

  /// Shows what its policy wants while a display is under way.
  func showMeanwhile() {
    switch contentsPolicy {
    case .keep: break
    case .clear: setContents(nil)
    case .placeholder: setContents(placeholder)
    }
  }

  /// Its contents are as opaque as they will be.
  func endFade() { fadeBegan = nil }

  private func setContents(_ bitmap: Bitmap?) {
    contents = bitmap
    fadeBegan = nil
  }

  private func urgencyDidChange() {
    display.check("Layer.priority")
    core.move(to: priority)
    display.urgencyDidChange(of: core)
  }

  private func boundsDidChange() {
    display.check("Layer.bounds")
    let hadSize = core.hasSize
    core.hasSize = isDrawable
    // Texture's memory: what was displayed without a size was not displayed.
    display.urgencyDidChange(of: core)
    if needsDisplayOnBoundsChange || (!hadSize && core.hasSize && core.state.generation > 0) {
      setNeedsDisplay()
    }
  }
}

// What is drawn.
extension Layer {
  /// What `task` draws; nil if that is nothing.
  func drawing(of task: DisplayTask?) throws(DisplayError) -> Drawing? {
    guard let body = task?.display, let pixels = try pixels() else { return nil }
    return Drawing(
      pixels: pixels,
      size: bounds,
      scale: scale,
      isOpaque: isOpaque,
      backgroundColor: backgroundColor,
      body: body
    )
  }

  /// Bytes of its next bitmap.
  var byteCount: Int {
    // try?: what can not be drawn needs no memory.
    (try? pixels())?.byteCount ?? 0
  }

  /// Bytes that its next display has in flight.
  var flightBytes: Int { byteCount + (owner?.pictureScratchBytes ?? 0) }

  private var isDrawable: Bool { byteCount > 0 }

  private func pixels() throws(DisplayError) -> PixelSize? {
    do {
      return try PixelSize(bounds, scale: scale)
    } catch {
      throw .size(error)
    }
  }
}
