public import LoopTransactions

/// A node with tall content that is displayed in horizontal bands. The bands
/// nearest to the viewport are displayed first.
///
/// Each band has a bitmap of its own. The first band appears after a fraction
/// of the time that all bands take. The content may be taller than the largest
/// bitmap, and bands far from the viewport use no memory. A subclass overrides
/// `makeBandDrawing()` instead of `makeDrawing()`, and calls
/// `setNeedsContent()` instead of `setNeedsDisplay()`.
///
/// If the node or an ancestor rasterizes its subtree, there are no bands, and
/// all content is drawn into the bitmap of the subtree.
///
/// ```swift
/// final class Article: BandedNode {
///   override func makeBandDrawing() -> BandDisplay? {
///     { [text] context, size, band, isCancelled in
///       try text.draw(
///         TextStyle(),
///         in: Rect(size: size),
///         of: context,
///         isCancelled: isCancelled
///       )
///     }
///   }
/// }
/// ```
///
/// Modelled on the incremental rendering that Meituan described for Graver but
/// did not publish.
open class BandedNode: Node {
  /// Draws the part of the content in `band`. `size` is the size of the whole
  /// content. Drawing outside of `band` is clipped.
  public typealias BandDisplay =
    @Sendable (
      _ context: DrawingContext, _ size: Size, _ band: Rect, _ isCancelled: () -> Bool
    ) throws -> Void

  /// The maximum number of bands that exist at once. Not measured.
  static let mostBands = 1024

  /// The height of a band in points, rounded up to whole pixels.
  ///
  /// - Precondition: At least 1, and finite.
  public var bandHeight = 256.0 {
    didSet {
      require(
        bandHeight >= 1 && bandHeight.isFinite,
        "BandedNode.bandHeight must be finite and at least 1, got \(bandHeight)"
      )
      if bandHeight != oldValue { setNeedsLayout() }
    }
  }

  /// The visible rectangle in the node's coordinates. If nil, all bands from
  /// the top are displayed. In both cases there are at most 1,024 bands.
  ///
  /// Use on the loop after the node is loaded.
  public var viewport: Rect? {
    didSet { if viewport != oldValue { viewportDidMove() } }
  }

  /// The distance above and below the viewport within which bands are
  /// displayed, as a multiple of the viewport's height.
  public var margin = 1.0 {
    didSet { if margin != oldValue { viewportDidMove() } }
  }

  override public var backgroundColor: Color? {
    didSet { if backgroundColor != oldValue { setNeedsContent() } }
  }

  // The bands by index, from the top.
  private var bands: [Int: Band] = [:]
  // The content size for which the bands were placed.
  private var placed = Size.zero

  /// Returns a closure that draws the content, as `Node.makeDrawing()` does.
  /// Called once for each band that is displayed.
  ///
  /// Called on the loop when the display of a band begins. An override need not
  /// call `super`.
  open func makeBandDrawing() -> BandDisplay? { nil }

  /// Marks the content as out of date, so that every band is displayed again.
  ///
  /// Call on the loop if the node is loaded. Does nothing if it is not loaded.
  public func setNeedsContent() {
    check("BandedNode.setNeedsContent")
    if isRasterized { setNeedsDisplay() }
    for band in bands.values { band.setNeedsDisplay() }
  }

  // New bands are inserted at the back.
  override var backmostIndex: Int { bands.count }

  // Each band fills its own background.
  override var ownBackground: Color? { isRasterized ? backgroundColor : nil }

  /// Draws all content at once if the node or an ancestor rasterizes its
  /// subtree. Subclasses override `makeBandDrawing()` instead of this function.
  override open func makeDrawing() -> DisplayTask.Display? {
    guard isRasterized, let drawing = makeBandDrawing() else { return nil }
    return { context, size, isCancelled in
      context.clip(to: Rect(size: size))
      try drawing(context, size, Rect(size: size), isCancelled)
    }
  }

  /// Places the bands.
  ///
  /// An override must call `super`.
  override open func layOut() { if isLoaded { placeBands() } }

  // The bands are placed again, because the node may have been added to a node
  // that rasterizes.
  override func didLoad() { placeBands() }

  override func settingsDidChange(_ operation: StaticString, isSeen: Bool) {
    super.settingsDidChange(operation, isSeen: isSeen)
    for band in bands.values { configure(band) }
    // The height of a band depends on the scale.
    if isLoaded { placeBands() }
  }

  /// Changes the priority of the bands.
  ///
  /// An override must call `super`.
  override open func priorityDidChange(_ priority: OperationPriority) {
    super.priorityDidChange(priority)
    setPriorities()
  }

  private func viewportDidMove() {
    check("BandedNode.viewport")
    if isLoaded { placeBands() }
  }
}

// Bands.
extension BandedNode {
  private var step: Double {
    let step = (bandHeight * scale).rounded(.up) / scale
    // The layers of the bands reject an invalid scale.
    return step > 0 && step.isFinite ? step : bandHeight
  }

  private func placeBands() {
    let wanted = wantedBands()
    for (number, band) in bands where !wanted.contains(number) {
      bands[number] = nil
      band.removeFromSupernode()
    }
    for number in wanted {
      let top = Double(number) * step
      let rect = Rect(
        x: 0,
        y: top,
        width: frame.size.width,
        height: min(step, frame.size.height - top)
      )
      if let band = bands[number] { move(band, to: rect) } else { addBand(number, rect) }
    }
    // The content of a band may depend on the whole size of the node.
    if placed != frame.size { setNeedsContent() }
    placed = frame.size
    setPriorities()
  }

  private func addBand(_ number: Int, _ rect: Rect) {
    let band = Band(of: self)
    band.frame = rect
    configure(band)
    bands[number] = band
    addSubnode(band)
    // Moves the band behind subnodes that are not bands.
    subnodes.removeLast()
    subnodes.insert(band, at: 0)
  }

  private func move(_ band: Band, to rect: Rect) {
    let isElsewhere = band.frame.origin != rect.origin
    band.frame = rect
    guard isElsewhere else { return }
    // The band's contents belong to another position.
    band.clearContents()
    band.setNeedsDisplay()
  }

  private func configure(_ band: Band) {
    band.isOpaque = isOpaque
    band.fadeDuration = fadeDuration
    band.displaysAsynchronously = displaysAsynchronously
  }

  private func wantedBands() -> Range<Int> {
    guard !isRasterized, frame.isValid, frame.size.width > 0, frame.size.height > 0 else {
      return 0..<0
    }
    let count = Int(min((frame.size.height / step).rounded(.up), 1e6))
    guard let viewport else { return 0..<min(count, Self.mostBands) }
    guard viewport.isValid, margin.isFinite else { return 0..<0 }
    let beyond = margin * viewport.size.height
    let first = ((viewport.origin.y - beyond) / step).rounded(.down)
    let last = ((viewport.maxY + beyond) / step).rounded(.up)
    // If there are too many bands, the viewport takes precedence over the
    // margin.
    let most = Double(Self.mostBands)
    let nearest = max(first, (viewport.origin.y / step).rounded(.down) - (most / 2).rounded(.down))
    let start = min(max(nearest, 0), Double(count))
    return Int(start)..<Int(min(max(last, start), start + most, Double(count)))
  }

  private func setPriorities() {
    for band in bands.values where band.isLoaded {
      let (top, bottom) = (band.frame.origin.y, band.frame.maxY)
      let start = viewport?.origin.y ?? 0
      let end = viewport?.maxY ?? 0
      // The priority decreases by one level for each quarter of a band's
      // height.
      let distance = max(0, top - end, start - bottom) / step * 4
      let level = Double(priority.rawValue) - distance.rounded(.up)
      // Set on the layer directly. A band has no subnodes, and setting
      // `Node.priority` would call this code again.
      band.layer?.priority = OperationPriority(Int(max(level, -128)))
    }
  }
}

/// One band of a `BandedNode`.
private final class Band: Node {
  private unowned let owner: BandedNode

  init(of owner: BandedNode) {
    self.owner = owner
    super.init()
  }

  override func makeDrawing() -> DisplayTask.Display? {
    let background = owner.backgroundColor
    let drawing = owner.makeBandDrawing()
    guard background != nil || drawing != nil else { return nil }
    let (size, band) = (owner.frame.size, frame)
    return { context, _, isCancelled in
      context.clip(to: Rect(size: band.size))
      if let background { context.fill(Rect(size: band.size), with: background) }
      context.translate(x: 0, y: -band.origin.y)
      try drawing?(context, size, band, isCancelled)
    }
  }
}
