import LoopTransactions

/// Parts of a node that are shown as one bitmap, made of those that they had. Of the loop.
///
/// ```text
///   flatten               displayed                 a part changed
///   ───────► merging ─────────────────► flat ─────────────────► apart ──► gone
///               │ a part changed, or                              once all parts are
///               ▼ it could not be drawn                           displayed again
///             gone
/// ```
final class FlatPicture: LayerDelegate {
  private enum State {
    case merging
    case flat
    // The picture stays until the parts have bitmaps of their own again.
    case apart
  }

  private unowned let owner: Node
  private let parts: [Node]
  // Where it is in the owner: parts may reach beyond that.
  private let origin: Point
  private let ids: Set<ObjectIdentifier>
  // What their layers showed when it was begun.
  private let generations: [UInt64]
  private let layer: Layer
  private var state = State.merging

  /// The picture of `parts` of `owner`, which keeps this, and shows it; they cover
  /// `extent`.
  init(_ parts: [Node], covering extent: Rect, of owner: Node, in display: Display) {
    self.owner = owner
    self.parts = parts
    ids = Set(parts.map(ObjectIdentifier.init))
    generations = Self.generations(of: parts)
    // On whole pixels, so that those of the parts are copied.
    origin = Point(
      x: (extent.origin.x * owner.scale).rounded(.down) / owner.scale,
      y: (extent.origin.y * owner.scale).rounded(.down) / owner.scale
    )
    layer = Layer(in: display)
    layer.bounds = Size(width: extent.maxX - origin.x, height: extent.maxY - origin.y)
    layer.scale = owner.scale
    move(to: owner.priority)
    layer.delegate = self
    layer.setNeedsDisplay()
  }

  /// Whether it is shown in place of the parts.
  var isShown: Bool { state != .merging }

  /// Draws it where it is in the owner.
  func draw(in context: DrawingContext) throws {
    guard let contents = layer.contents else { return }
    try context.draw(contents, in: Rect(origin: origin, size: contents.size))
  }

  /// Whether the parts are one bitmap, and have none of their own.
  var isFlat: Bool { state == .flat }

  /// Whether `node`, which is a part of the owner, is in the picture.
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
      didDisplay: { [weak self] outcome in self?.didMerge(outcome) },
      display: RasterStep.drawing(steps)
    )
  }

  private func didMerge(_ outcome: DisplayOutcome) {
    guard state == .merging else { return }
    // Cancelled by a loop that closes, without memory, with nothing in it, or of what was:
    // who invalidates a layer, not its node, says so to nobody but the layer.
    guard case .displayed = outcome, generations == Self.generations(of: parts) else {
      return owner.flat = nil
    }
    state = .flat
    forEachLayer { layer in
      layer.setHold(.flattened, true, "Node.flatten")
      layer.clearContents()
    }
  }

  /// A part changed: has all of them displayed on their own again. What was shown stays
  /// until they are.
  func comeApart() {
    switch state {
    // Before it could be shown: it would be of what was.
    case .merging: giveUp()
    case .apart: break
    case .flat:
      state = .apart
      forEachLayer { layer in
        layer.setNeedsDisplay()
        layer.setHold(.flattened, false, "Node.comeApart")
      }
    }
  }

  /// Cancels it, if the parts are shown still. They are not dirty by that.
  func giveUp() {
    guard state == .merging else { return }
    layer.cancelDisplay()
    owner.flat = nil
  }

  /// Has it come by `priority`, and after everything that shows more than before.
  func move(to priority: OperationPriority) { layer.priority = min(priority, .background) }

  /// Lets go of the picture at once, and of the parts' bitmaps.
  func drop() {
    let wasFlat = state == .flat
    if wasFlat { forEachLayer { $0.setHold(.flattened, false, "Node.comeApart") } }
    owner.flat = nil
  }

  /// Lets go of the picture, if every part is displayed again.
  func partDidDisplay() {
    guard state == .apart, parts.allSatisfy({ $0.supernode !== owner || $0.isShown }) else {
      return
    }
    // D13: they were not empty to look at.
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
