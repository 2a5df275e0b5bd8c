import LoopTransactions

/// The bitmap that replaces the bitmaps of several subnodes, which are called
/// its parts. Belongs to the loop.
///
/// ```text
///   flatten               displayed                 a part changed
///   ───────► merging ─────────────────► flat ─────────────────► unflattening ──► gone
///               │ a part changed, or                              once all parts are
///               ▼ the display failed                              displayed again
///             gone
/// ```
final class FlatPicture: LayerDelegate {
  private enum State {
    case merging
    case flat
    // The bitmap stays until every part has a bitmap of its own again.
    case unflattening
  }

  private unowned let owner: Node
  private let parts: [Node]
  // The picture's position in the owner. Parts may extend beyond the owner's
  // bounds.
  private let origin: Point
  private let ids: Set<ObjectIdentifier>
  // The generations of the parts' layers when merging began.
  private let generations: [UInt64]
  private let layer: Layer
  private var state = State.merging

  /// Begins to merge `parts` of `owner` into one bitmap. The parts cover
  /// `extent`. The owner retains and shows the picture.
  init(_ parts: [Node], covering extent: Rect, of owner: Node, in display: Display) {
    self.owner = owner
    self.parts = parts
    ids = Set(parts.map(ObjectIdentifier.init))
    generations = Self.generations(of: parts)
    // Aligned to whole pixels, so that the parts' pixels are copied unchanged.
    origin = Point(
      x: (extent.origin.x * owner.scale).rounded(.down) / owner.scale,
      y: (extent.origin.y * owner.scale).rounded(.down) / owner.scale
    )
    layer = Layer(in: display)
    layer.size = Size(width: extent.maxX - origin.x, height: extent.maxY - origin.y)
    layer.scale = owner.scale
    setPriority(owner.priority)
    layer.delegate = self
    layer.setNeedsDisplay()
  }

  /// Whether the bitmap replaces the parts on screen.
  var isShown: Bool { state != .merging }

  /// Draws the bitmap at its position in the owner.
  func draw(in context: DrawingContext) throws {
    guard let contents = layer.contents else { return }
    try context.draw(contents, in: Rect(origin: origin, size: contents.size))
  }

  /// Whether the bitmap is shown and the parts have no bitmaps.
  var isFlat: Bool { state == .flat }

  /// Returns whether `node`, a direct subnode of the owner, is part of the
  /// picture.
  func has(_ node: Node) -> Bool { ids.contains(ObjectIdentifier(node)) }

  func displayTask(for layer: Layer) -> DisplayTask? {
    let placement = RasterStep.Placement(
      origin: Point(x: -origin.x, y: -origin.y),
      size: .zero,
      alpha: 1,
      clips: false,
      cornerRadius: 0,
      background: nil
    )
    var steps = [RasterStep.begin(placement)]
    for part in parts { part.appendBitmaps(to: &steps) }
    steps.append(.end(placement))
    return DisplayTask(
      didDisplay: { [weak self] _, outcome in self?.didMerge(outcome) },
      display: RasterStep.drawing(steps)
    )
  }

  private func didMerge(_ outcome: DisplayOutcome) {
    guard state == .merging else { return }
    // Give up if the display failed, was empty, or was cancelled by a closing
    // loop. Also give up if a part's layer was invalidated directly. Such an
    // invalidation can be detected only by the layer's own generation.
    guard case .displayed = outcome, generations == Self.generations(of: parts) else {
      return owner.flat = nil
    }
    state = .flat
    forEachLayer { layer in
      layer.setHold(.flattened, true, "Node.flatten")
      layer.clearContents()
    }
  }

  /// Displays the parts separately again, because one of them changed. The
  /// bitmap is shown until all of them are displayed.
  func unflatten() {
    switch state {
    // The bitmap became out of date before it was shown.
    case .merging: giveUp()
    case .unflattening: break
    case .flat:
      state = .unflattening
      forEachLayer { layer in
        layer.setNeedsDisplay()
        layer.setHold(.flattened, false, "Node.unflatten")
      }
    }
  }

  /// Cancels merging if the bitmap is not shown yet. The parts remain up to
  /// date.
  func giveUp() {
    guard state == .merging else { return }
    layer.cancelDisplay()
    owner.flat = nil
  }

  /// Sets the priority, which is never above background, because displays that
  /// show new contents come first.
  func setPriority(_ priority: OperationPriority) { layer.priority = min(priority, .background) }

  /// Removes the merged bitmap and the parts' bitmaps immediately.
  func drop() {
    let wasFlat = state == .flat
    if wasFlat { forEachLayer { $0.setHold(.flattened, false, "Node.unflatten") } }
    owner.flat = nil
  }

  /// Removes the bitmap if every part has been displayed again. D13.
  func partDidDisplay() {
    guard state == .unflattening, parts.allSatisfy({ $0.supernode !== owner || $0.isShown }) else {
      return
    }
    // The parts replace a visible bitmap, so they must not fade in.
    forEachLayer { $0.endFade() }
    owner.flat = nil
  }

  private static func generations(of parts: [Node]) -> [UInt64] {
    parts.flatMap(\.layers).map { $0.core.state.generation }
  }

  private func forEachLayer(_ body: (Layer) -> Void) {
    for part in parts where part.supernode === owner {
      part.forEachNode { if let layer = $0.layer { body(layer) } }
    }
  }
}
