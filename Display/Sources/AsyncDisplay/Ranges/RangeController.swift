import LoopTransactions

/// Decides what of a long content is built, displayed and dropped, by how far it is from
/// what can be seen.
///
/// Around the viewport are the display range and the preload range, which reach further
/// ahead of the scroll than behind it. An item in the display range is loaded and
/// displayed, the nearest first, by the priority that its distance has; that follows the
/// scroll. One that leaves is cancelled, and its bitmaps are dropped; one that leaves the
/// preload range is unloaded. Changes of a tick are one update, before its display
/// commit: what leaves and comes back meanwhile did not move.
///
/// ```swift
/// let ranges = RangeController(on: display)
/// ranges.items = cards
/// ranges.viewport = Rect(x: 0, y: scroll.offset, width: 768, height: 1024)
/// ```
///
/// Of the loop, where it must be let go of: what it loaded is unloaded then, and items are
/// not told. After Texture's ASRangeController, which cancelled nothing and knew no
/// priorities.
public final class RangeController {
  /// Which way the content scrolls.
  ///
  /// Use it on the loop.
  public var axis = Axis.vertical {
    didSet { if axis != oldValue { framesDidChange() } }
  }

  /// All there is, each once, in any order. Kept alive.
  ///
  /// Use it on the loop.
  ///
  /// - Complexity: O(n log n), in the next update.
  public var items: [any RangeItem] = [] {
    didSet { framesDidChange() }
  }

  /// What can be seen. Nothing is done while it has no length.
  ///
  /// Use it on the loop.
  public var viewport = Rect.zero {
    didSet { if viewport != oldValue { viewportDidMove(from: oldValue) } }
  }

  /// How far ranges reach. Nil: `minimum` until somebody scrolled, `full` from then on.
  ///
  /// Use it on the loop.
  public var mode: RangeMode? {
    didSet { if mode != oldValue { setNeedsUpdate() } }
  }

  /// Whether the viewport is on a screen. If not, what would be seen is only displayed,
  /// and what would be displayed only built.
  ///
  /// Use it on the loop.
  public var isVisible = true {
    didSet { if isVisible != oldValue { setNeedsUpdate() } }
  }

  /// How far ranges reach now.
  public var currentMode: RangeMode { mode ?? (hasScrolled && isVisible ? .full : .minimum) }

  /// Whether the last scroll went down, or to the right; at first it is taken to.
  public private(set) var isForward = true

  private struct Entry {
    let item: any RangeItem
    var place: RangePlace
    // What was done to its node, as long as that is this one.
    weak var known: Node?
    var isDropped = false
    var priority: OperationPriority?
  }

  private let display: Display
  private var tunings = RangeTunings()
  private var index = RangeIndex([])
  private var hasIndex = true
  private var hasScrolled = false
  private var wasUpdated = false
  private var isUpdating = false
  // Those that are not outside.
  private var entries: [ObjectIdentifier: Entry] = [:]
  private let queue: RunLoopQueue<RangeController>

  // Before the display commit: what comes near is displayed in the same tick.
  private static let order = 1_000_000

  /// A controller of no items.
  ///
  /// Call on the loop.
  public init(on display: Display) {
    display.check("RangeController.init")
    self.display = display
    queue = RunLoopQueue(on: display.loop, membership: .weak, order: Self.order) { each, _ in
      each.update()
    }
  }

  deinit {
    for entry in entries.values where entry.item.node?.isLoaded == true {
      entry.item.node?.unload()
    }
  }
}

// Settings.
extension RangeController {
  /// How far `place`, the display or the preload range, reaches in `mode`.
  ///
  /// Use it on the loop.
  ///
  /// - Precondition: `place` is one of those; both lengths are finite and not negative.
  public subscript(mode: RangeMode, place: RangePlace) -> RangeTuning {
    get { tunings[mode, place] }
    set {
      require(
        place == .display || place == .preload,
        "RangeController: only display and preload ranges have a tuning, got \(place)"
      )
      require(
        newValue.leading >= 0 && newValue.trailing >= 0 && newValue.leading.isFinite
          && newValue.trailing.isFinite,
        "RangeController: a range must be finite and not negative, got \(newValue)"
      )
      tunings[mode, place] = newValue
      setNeedsUpdate()
    }
  }

  /// Says that items have moved within the content.
  ///
  /// Call on the loop.
  public func framesDidChange() {
    hasIndex = false
    setNeedsUpdate()
  }

  /// Has an update come in this tick, or the next if this one's has been.
  ///
  /// Call on the loop. Calling it again before that does nothing.
  public func setNeedsUpdate() {
    display.check("RangeController.setNeedsUpdate")
    queue.enqueue(self)
  }

  /// Where `item` was in the last update.
  ///
  /// Call on the loop.
  public func place(of item: any RangeItem) -> RangePlace {
    display.check("RangeController.place")
    return entries[ObjectIdentifier(item)]?.place ?? .outside
  }

  private func viewportDidMove(from old: Rect) {
    let (was, now) = (span(of: old).start, span(of: viewport).start)
    if wasUpdated, was != now {
      hasScrolled = true
      // D12: a scroll that cannot be told goes on as it did.
      if now > was { isForward = true } else if now < was { isForward = false }
    }
    setNeedsUpdate()
  }

  private func span(of rect: Rect) -> (start: Double, end: Double) {
    axis == .vertical ? (rect.origin.y, rect.maxY) : (rect.origin.x, rect.maxX)
  }
}

// Updates.
extension RangeController {
  /// Moves every item to the place where it is now.
  ///
  /// Call on the loop, to do it before its time. From within an update there is another
  /// one, in the next tick.
  ///
  /// - Complexity: O(log n) in the items, O(k) in those that are or were near.
  public func update() {
    display.check("RangeController.update")
    guard !isUpdating else { return setNeedsUpdate() }
    queue.remove(self)
    let (start, end) = span(of: viewport)
    guard viewport.isValid, end > start else { return }
    makeIndex()
    let mode = currentMode
    let window = RangeWindow(
      start: start,
      end: end,
      isForward: isForward,
      mode: mode,
      isVisible: isVisible,
      display: tunings[mode, .display],
      preload: tunings[mode, .preload]
    )
    (wasUpdated, isUpdating) = (true, true)
    defer { isUpdating = false }
    move(collect(window))
  }

  private func makeIndex() {
    guard !hasIndex else { return }
    hasIndex = true
    var spans: [RangeIndex.Span] = []
    for (number, item) in items.enumerated() {
      let frame = item.frame
      // What has no place is nowhere near.
      guard frame.isValid else { continue }
      let (start, end) = span(of: frame)
      spans.append(RangeIndex.Span(start: start, end: end, item: number))
    }
    index = RangeIndex(spans)
  }

  private typealias Near = (item: any RangeItem, place: RangePlace, distance: Double)

  // The nearest first.
  private func collect(_ window: RangeWindow) -> [Near] {
    var near: [Near] = []
    let (start, end) = window.reach
    index.forEach(from: start, to: end) { span in
      let place = window.place(from: span.start, to: span.end)
      guard place > .outside else { return }
      near.append((items[span.item], place, window.distance(from: span.start, to: span.end)))
    }
    return near.enumerated().sorted {
      ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset)
    }.map(\.element)
  }

  private func move(_ near: [Near]) {
    let ids = near.map { ObjectIdentifier($0.item) }
    let kept = Set(ids)
    // First what leaves: its worker and its memory are for what comes.
    for (id, entry) in entries where !kept.contains(id) {
      if let node = entry.item.node, node.isLoaded { node.unload() }
      entries[id] = nil
      entry.item.didMove(from: entry.place, to: .outside)
    }
    for (id, each) in zip(ids, near) where (entries[id]?.place ?? .outside) >= .display {
      if each.place < .display { leaveDisplay(id, each) }
    }
    for (id, each) in zip(ids, near) { arrive(id, each) }
  }

  private func leaveDisplay(_ id: ObjectIdentifier, _ near: Near) {
    guard var entry = entries[id] else { return }
    if let node = entry.item.node { drop(node, &entry) }
    let old = entry.place
    entry.place = near.place
    entries[id] = entry
    entry.item.didMove(from: old, to: near.place)
  }

  private func arrive(_ id: ObjectIdentifier, _ near: Near) {
    var entry = entries[id] ?? Entry(item: near.item, place: .outside)
    let old = entry.place
    entry.place = near.place
    entries[id] = entry
    if old != near.place { near.item.didMove(from: old, to: near.place) }
    guard let node = near.item.node else { return }
    if entry.known !== node {
      (entry.known, entry.isDropped, entry.priority) = (node, false, nil)
    }
    if near.place >= .display {
      show(node, &entry, Self.priority(near.distance))
    } else {
      drop(node, &entry)
    }
    entries[id] = entry
  }

  private func show(_ node: Node, _ entry: inout Entry, _ priority: OperationPriority) {
    let wasLoaded = node.isLoaded
    if !wasLoaded { node.load(in: display, scale: node.scale) }
    if entry.priority != priority || !wasLoaded {
      node.priority = priority
      entry.priority = priority
    }
    guard entry.isDropped || node.isDetached else { return }
    if entry.isDropped { for layer in node.layers { layer.setNeedsDisplay() } }
    entry.isDropped = false
    node.isDetached = false
  }

  private func drop(_ node: Node, _ entry: inout Entry) {
    guard node.isLoaded, !entry.isDropped else { return }
    entry.isDropped = true
    node.isDetached = true
    node.clearContents()
  }

  // Below what somebody waits for; a level is a 16th of a screenful.
  private static func priority(_ distance: Double) -> OperationPriority {
    let highest = Double(OperationPriority.high.rawValue) - 1
    return OperationPriority(Int(max(-128, highest - (distance * 16).rounded(.up))))
  }
}
