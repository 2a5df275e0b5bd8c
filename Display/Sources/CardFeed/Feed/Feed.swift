public import AsyncDisplay
package import LoopTransactions

/// A feed of cards in scrolling columns, whose cells are reused.
///
/// A card that comes into view is built and drawn off the loop, and is shown
/// when it is finished. A card that leaves is cancelled. Use the feed on the
/// loop only.
///
/// ```swift
/// let feed = Feed(try CardCorpus(), stage: FeedStage(.a4, on: loop), viewport: size)
/// let clock = try FrameClock(on: loop) { frame in
///   show(feed.scroll(to: position(at: frame.deadline)))
/// }
/// ```
///
/// Modelled on the AsyncDisplayKit tutorial of 2014 and on Texture's range
/// controller.
public final class Feed {
  /// The contents of the cards.
  public let corpus: CardCorpus
  /// The number of cards.
  public let count: Int
  /// The workers and displays that draw the cards.
  public let stage: FeedStage
  /// The number of pixels per point.
  public let scale: Double
  /// The size of the visible part, in points.
  public private(set) var viewport: Size
  /// The frames of the cards.
  public private(set) var layout: FeedLayout

  /// The default viewport, in points.
  public static let viewport = Size(width: 768, height: 1024)

  /// Called on the loop when a card's picture was drawn. `waited` is the time
  /// since the feed requested the card.
  public var onShown: ((_ index: Int, _ waited: Duration) -> Void)?

  /// The duration of the fade of a new picture.
  public var fadeDuration = Duration.zero

  /// Counts of the feed's cards.
  public private(set) var metrics = FeedMetrics()

  private let marksCards: Bool
  private var cells: [Int: FeedCell] = [:]
  private var unused: [FeedCell] = []
  private var kept: KeptCards
  private var position = 0.0
  private var isDownwards = true
  private var isMoving = false
  private var predictor = ScrollPredictor()
  private var slices: RunLoopQueue<FeedCell>?

  /// Creates a feed. It shows nothing until the first `scroll(to:)`.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - scale: The number of pixels per point. Defaults to the scale of the
  ///     corpus.
  ///   - marksCards: Whether the number of each card is encoded in its picture,
  ///     so that `FeedFrame.staleTiles` can be counted.
  ///
  /// - Precondition: `count` is between 1 and 65,536.
  public init(
    _ corpus: CardCorpus,
    count: Int = 500,
    stage: FeedStage,
    viewport: Size = Feed.viewport,
    scale: Double? = nil,
    marksCards: Bool = false
  ) {
    // Not precondition, whose message is missing in release builds.
    guard (1...1 << Card.indexBits).contains(count) else {
      fatalError("Feed: count must be 1 to 65536, got \(count)")
    }
    self.corpus = corpus
    self.count = count
    self.stage = stage
    self.viewport = viewport
    self.scale = scale ?? corpus.scale
    self.marksCards = marksCards
    layout = FeedLayout(corpus, count: count, width: viewport.width)
    kept = KeptCards(limit: stage.variant.keptCards)
    guard stage.variant.drawing == .sliced else { return }
    slices = RunLoopQueue(on: stage.displays[0].loop, batchSize: 1) { [weak self] cell, _ in
      // Cells whose card left in the meantime were removed from the queue.
      self?.draw(cell)
    }
  }

  /// Changes the size of the visible part. Cards keep their pictures.
  ///
  /// Call on the loop. The next `scroll(to:)` shows the new layout.
  public func resize(to viewport: Size) {
    if viewport.width != self.viewport.width {
      layout = FeedLayout(corpus, count: count, width: viewport.width)
    }
    self.viewport = viewport
  }

  /// The scroll positions that can be reached.
  public var range: ClosedRange<Double> { 0...max(0, layout.height - viewport.height) }

  /// Scrolls to `position` and returns the frame to show.
  ///
  /// Starts drawing the cards that came near the viewport, and cancels the
  /// cards that left it. Call on the loop, once per frame.
  public func scroll(to position: Double) -> FeedFrame {
    isMoving = position != self.position
    if isMoving { isDownwards = position > self.position }
    self.position = position
    if stage.variant.foresees {
      let now = stage.displays[0].loop.now
      predictor.moved(to: position, at: now, jump: viewport.height)
    }
    let shift = shift
    let wanted = layout.cards(
      from: position - above + min(0, shift),
      to: position + viewport.height + below + max(0, shift)
    )
    let staying = Set(wanted)
    for (index, cell) in cells where !staying.contains(index) { leave(cell, index) }
    for index in wanted where cells[index] == nil { enter(index) }
    if stage.variant.ranksByDistance {
      for (index, cell) in cells { cell.rank(priority(of: index)) }
    }
    return frame
  }

  /// The visible cards and their pictures.
  ///
  /// Call on the loop.
  public var frame: FeedFrame {
    var frame = FeedFrame()
    frame.position = position
    let now = stage.displays[0].loop.now
    for index in layout.cards(from: position, to: position + viewport.height) {
      let (cell, place) = (cells[index], layout.frames[index])
      let tile = FeedFrame.Tile(
        index: index,
        frame: Rect(
          origin: Point(x: place.origin.x, y: place.origin.y - position),
          size: place.size
        ),
        contents: cell?.contents,
        alpha: cell?.kept != nil ? 1 : cell?.card?.layer?.contentsAlpha(at: now) ?? 0
      )
      frame.tiles.append(tile)
    }
    return frame
  }

  /// Redraws every card that is loaded.
  ///
  /// Call on the loop.
  public func invalidate() { for cell in cells.values { cell.invalidate() } }

  /// Cancels and releases all cards.
  ///
  /// Call on the loop.
  public func clear() {
    for (index, cell) in cells { leave(cell, index) }
    kept = KeptCards(limit: kept.limit)
    unused = []
  }
}

// The cards to draw and their priorities.
extension Feed {
  // The predicted scroll distance until a card that begins now is finished. It
  // is at most two screenfuls, to limit memory.
  private var shift: Double {
    min(max(predictor.shift, -2 * viewport.height), 2 * viewport.height)
  }

  private var above: Double {
    viewport.height * (isDownwards ? stage.variant.trailing : stage.variant.leading)
  }

  private var below: Double {
    viewport.height * (isDownwards ? stage.variant.leading : stage.variant.trailing)
  }

  // Visible cards come first. Among them, the cards that stay visible longest
  // come first, because a card that is about to leave would be gone before it
  // is drawn. Cards ahead of the scroll follow. A card behind the scroll ranks
  // like a card at twice the distance ahead. One priority level is an eighth of
  // a screenful.
  package func priority(of index: Int) -> OperationPriority {
    guard stage.variant.ranksByDistance else { return .normal }
    let (place, top) = (layout.frames[index], position + shift)
    let (past, before) = (top - place.maxY, place.origin.y - top - viewport.height)
    let (ahead, behind) = isDownwards ? (before, past) : (past, before)
    let eighth = viewport.height / 8
    let high = Int(OperationPriority.high.rawValue)
    guard max(ahead, behind) > 0 else {
      // No visible card leaves while the feed is not scrolling.
      return OperationPriority(isMoving ? high + min(Self.seenLevels, Int(-behind / eighth)) : high)
    }
    return OperationPriority(high - 1 - 4 * Int(max(ahead, 2 * behind) / eighth))
  }

  // Keeps visible cards below `.interactive`.
  private static let seenLevels = 24
}

// Cells.
extension Feed {
  private func enter(_ index: Int) {
    let cell = unused.popLast() ?? FeedCell()
    cells[index] = cell
    cell.begin(index, at: stage.displays[0].loop.now, priority: priority(of: index))
    metrics.wanted += 1
    if let picture = kept.picture(of: index) {
      cell.kept = picture
      metrics.kept += 1
      return
    }
    switch stage.variant.drawing {
    case .onLoop: draw(cell)
    case .sliced: _ = slices?.enqueue(cell)
    case .thread, .rotation, .shared: build(cell, index)
    }
  }

  private func leave(_ cell: FeedCell, _ index: Int) {
    if cell.contents == nil {
      metrics.givenUp += 1
      predictor.waited(cell.since.duration(to: stage.displays[0].loop.now))
    }
    kept.keep(cell.contents, of: index)
    _ = slices?.remove(cell)
    cell.end()
    cells[index] = nil
    unused.append(cell)
  }

  /// The blur of the covers. Its radius is 30 points, given in pixels of the
  /// picture.
  public var blur: BlurFilter {
    BlurFilter(
      radius: 30 * corpus.scale,
      saturation: 1.8,
      tint: Color(white: 0.5, alpha: 0.3),
      reduction: stage.variant.blurReduction
    )
  }

  // Draws the card on the loop before returning.
  private func draw(_ cell: FeedCell) {
    guard let index = cell.index else { return }
    let card = Card(corpus[index], index: index, blur: blur, isMarked: marksCards)
    card.becomeSynchronous()
    show(card, in: cell, of: stage.displays[0])
    card.displayIfNeeded()
  }

  // Builds the card off the loop. The cell may show another card by the time
  // the build completes.
  private func build(_ cell: FeedCell, _ index: Int) {
    let (content, blur, display) = (corpus[index], blur, stage.next())
    let isMarked = marksCards
    let watch = CancelWatch(display.onStopped)
    let operation = display.build(priority: cell.priority) { _ -> sending Card in
      watch?.begin()
      giveWay()
      defer { watch?.end() }
      return Card(content, index: index, blur: blur, isMarked: isMarked)
    } completion: { [weak self, unowned display] outcome in
      guard let self, let card = outcome.value, cells[index] === cell else { return }
      show(card, in: cell, of: display)
    }
    cell.wait(for: operation, watch)
  }

  private func show(_ card: Card, in cell: FeedCell, of display: Display) {
    guard let index = cell.index else { return }
    cell.take(card)
    card.fadeDuration = fadeDuration
    let since = cell.since
    card.onDisplayed = { [weak self] in
      guard let self else { return }
      metrics.shown += 1
      predictor.waited(since.duration(to: display.loop.now))
      onShown?(index, since.duration(to: display.loop.now))
    }
    card.load(in: display, scale: scale)
    if stage.variant.ranksByDistance { cell.rankCard() }
  }
}

extension Feed {
  /// Draws the card at `index` on the loop and releases it. This function is
  /// for measuring the cost of a card and inspecting the result.
  ///
  /// Call on the loop.
  @discardableResult
  public func drawAlone(_ index: Int) -> Bitmap? {
    let card = Card(corpus[index], index: index, blur: blur, isMarked: marksCards)
    card.becomeSynchronous()
    card.load(in: stage.displays[0], scale: scale)
    card.displayIfNeeded()
    return card.layer?.contents
  }
}
