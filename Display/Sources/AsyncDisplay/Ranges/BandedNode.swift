public import LoopTransactions

/// Tall content, displayed in bands, those nearest to the viewport first.
///
/// Each band is a bitmap of its own: the first is on screen after a fraction of the
/// time that all of them take, a content may be higher than any bitmap, and what is far
/// from the viewport has none. A kind of it overrides `makeBandDrawing` in place of
/// `makeDrawing`, and calls `setNeedsContent` in place of `setNeedsDisplay`.
///
/// In a node that rasterizes, or if it does so itself, it has no bands: all of it is
/// drawn as one, in that bitmap.
///
/// ```swift
/// final class Article: BandedNode {
///   override func makeBandDrawing() -> BandDisplay? {
///     { [text] context, size, band, isCancelled in
///       try text.draw(TextStyle(), in: Rect(size: size), of: context, isCancelled: isCancelled)
///     }
///   }
/// }
/// ```
///
/// After the incremental rendering that Meituan described for Graver and did not publish.
open class BandedNode: Node {
  /// Draws what is in `band` of content that is `size` large; what is beyond is cut off.
  public typealias BandDisplay =
    @Sendable (
      _ context: DrawingContext, _ size: Size, _ band: Rect, _ isCancelled: () -> Bool
    ) throws -> Void

  /// So many bands there are at once, at most. Guess.
  public static let mostBands = 1024

  /// How high a band is, in points, rounded up to whole pixels.
  ///
  /// - Precondition: It is at least a point, and finite.
  public var bandHeight = 256.0 {
    didSet {
      require(
        bandHeight >= 1 && bandHeight.isFinite,
        "BandedNode.bandHeight: must be finite and at least 1, got \(bandHeight)"
      )
      if bandHeight != oldValue { setNeedsLayout() }
    }
  }

  /// What of it can be seen, in its own coordinates. Nil: all of it is wanted, from the
  /// top, as far as `mostBands` reach.
  ///
  /// Use it on the loop, once it is loaded.
  public var viewport: Rect? {
    didSet { if viewport != oldValue { viewportDidMove() } }
  }

  /// So many screenfuls above and below the viewport are displayed, too.
  public var margin = 1.0 {
    didSet { if margin != oldValue { viewportDidMove() } }
  }

  override public var backgroundColor: Color? {
    didSet { if backgroundColor != oldValue { setNeedsContent() } }
  }

  // By their number, from the top.
  private var bands: [Int: Band] = [:]
  // What bands were placed for.
  private var placed = Size.zero

  /// How it is drawn, as `Node.makeDrawing`: asked once for each band.
  ///
  /// Called on the loop when a display of a band begins.
  open func makeBandDrawing() -> BandDisplay? { nil }

  /// Says that what it draws changed: every band is displayed anew.
  ///
  /// Call on the loop if it is loaded; before, it does nothing.
  public func setNeedsContent() {
    check("BandedNode.setNeedsContent")
    if isRasterized { setNeedsDisplay() }
    for band in bands.values { band.setNeedsDisplay() }
  }

  // Bands have it: one bitmap of all of it is what they are for.
  override var ownBackground: Color? { isRasterized ? backgroundColor : nil }

  override open func makeDrawing() -> DisplayTask.Display? {
    guard isRasterized, let drawing = makeBandDrawing() else { return nil }
    return { context, size, isCancelled in
      context.clip(to: Rect(size: size))
      try drawing(context, size, Rect(size: size), isCancelled)
    }
  }

  override open func layOut() { if isLoaded { placeBands() } }

  // It may have been taken into a node that rasterizes.
  override func didLoad() { placeBands() }

  override func settingsDidChange(_ operation: StaticString, isSeen: Bool) {
    super.settingsDidChange(operation, isSeen: isSeen)
    for band in bands.values { configure(band) }
    // A band is so many whole pixels.
    if isLoaded { placeBands() }
  }

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
    // An odd scale is for the layers of bands to refuse.
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
    // What a band shows may depend on how large all of it is.
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
    // Behind parts that are not bands.
    subnodes.removeLast()
    subnodes.insert(band, at: 0)
  }

  private func move(_ band: Band, to rect: Rect) {
    let isElsewhere = band.frame.origin != rect.origin
    band.frame = rect
    guard isElsewhere else { return }
    // What it shows is of another place.
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
    // The margin gives way to the viewport.
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
      // A level is a quarter of a band.
      let distance = max(0, top - end, start - bottom) / step * 4
      let level = Double(priority.rawValue) - distance.rounded(.up)
      // Its layer's alone: a band has no parts, and who else is told comes here again.
      band.layer?.priority = OperationPriority(Int(max(level, -128)))
    }
  }
}

/// One band of tall content.
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
