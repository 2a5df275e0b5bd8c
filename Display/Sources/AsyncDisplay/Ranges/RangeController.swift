import LoopTransactions

/// Loads, displays and unloads the items of long content, depending on their
/// distance from the viewport.
///
/// The viewport is surrounded by a display range and a larger preload range.
/// Both ranges reach further ahead of the scroll than behind it. Items in the
/// display range are loaded and displayed, nearest first, with a priority that
/// depends on their distance. When an item leaves the display range, its
/// displays are cancelled and its bitmaps are dropped. When an item leaves the
/// preload range, it is unloaded.
///
/// All changes in a tick lead to one update before the tick's display commit.
/// If an item leaves a range and returns before the update, it is treated as
/// not moved.
///
/// ```swift
/// let ranges = RangeController(on: display)
/// ranges.items = cards
/// ranges.viewport = Rect(x: 0, y: scroll.offset, width: 768, height: 1024)
/// ```
///
/// A range controller belongs to its loop's thread and must be released there.
/// Releasing the controller unloads the nodes that it has loaded, without
/// notifying the items.
///
/// Modelled on Texture's `ASRangeController`.
public final class RangeController {
  /// The scroll direction.
  ///
  /// Use on the loop.
  public var axis = Axis.vertical {
    didSet { if axis != oldValue { framesDidChange() } }
  }

  /// The items in any order. Each item occurs once. Retained.
  ///
  /// Use on the loop.
  ///
  /// - Complexity: O(n log n), in the next update.
  public var items: [any RangeItem] = [] {
    didSet { framesDidChange() }
  }

  /// The visible rectangle. No updates are made while it is empty in the scroll
  /// direction.
  ///
  /// Use on the loop.
  public var viewport = Rect.zero {
    didSet { if viewport != oldValue { viewportDidMove(from: oldValue) } }
  }

  /// How far the ranges reach. If nil, `minimum` applies until the first
  /// scroll, and `full` after it.
  ///
  /// Use on the loop.
  public var mode: RangeMode? {
    didSet { if mode != oldValue { setNeedsUpdate() } }
  }

  /// Whether the viewport is on screen. If false, visible items are treated as
  /// items in the display range, and items in the display range as items in the
  /// preload range.
  ///
  /// Use on the loop.
  public var isVisible = true {
    didSet { if isVisible != oldValue { setNeedsUpdate() } }
  }

  /// The mode that currently applies.
  public var currentMode: RangeMode { mode ?? (hasScrolled && isVisible ? .full : .minimum) }

  /// Whether the last scroll was downwards or to the right. Initially true.
  public private(set) var isForward = true

  private struct Entry {
    let item: any RangeItem
    var place: RangePlace
    // The node that the following properties describe.
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
  // The items whose place is not `.outside`.
  private var entries: [ObjectIdentifier: Entry] = [:]
  private let queue: RunLoopQueue<RangeController>

  // Runs before the display commit, so that items that come near are displayed
  // in the same tick.
  private static let order = 1_000_000

  /// Creates a controller without items.
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
  /// The reach of the range `place` in `mode`.
  ///
  /// Use on the loop.
  ///
  /// - Precondition: `place` is `.display` or `.preload`. Both lengths are
  ///   finite and not negative.
  public subscript(mode: RangeMode, place: RangePlace) -> RangeTuning {
    get { tunings[mode, place] }
    set {
      require(
        place == .display || place == .preload,
        "RangeController: set the tuning of .display or .preload, not of .\(place)"
      )
      require(
        newValue.leading >= 0 && newValue.trailing >= 0 && newValue.leading.isFinite
          && newValue.trailing.isFinite,
        "RangeController: lengths of a range must be finite and not negative, got \(newValue)"
      )
      tunings[mode, place] = newValue
      setNeedsUpdate()
    }
  }

  /// Marks the frames of the items as changed.
  ///
  /// Call on the loop.
  public func framesDidChange() {
    hasIndex = false
    setNeedsUpdate()
  }

  /// Requests an update in this tick, or in the next tick if this tick's update
  /// has already run. Repeated calls before the update have no effect.
  ///
  /// Call on the loop.
  public func setNeedsUpdate() {
    display.check("RangeController.setNeedsUpdate")
    queue.enqueue(self)
  }

  /// Returns the place that `item` had in the last update.
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
      // If the direction cannot be determined, the previous direction is kept.
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
  /// Moves every item to its current place.
  ///
  /// Call on the loop, to update before the end of the tick. If this is called
  /// during an update, it requests another update in the next tick.
  ///
  /// - Complexity: O(log n) in the number of items, and O(k) in the number of
  ///   items that are or were near the viewport.
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
      // An item with an invalid frame counts as outside all ranges.
      guard frame.isValid else { continue }
      let (start, end) = span(of: frame)
      spans.append(RangeIndex.Span(start: start, end: end, item: number))
    }
    index = RangeIndex(spans)
  }

  private typealias Near = (item: any RangeItem, place: RangePlace, distance: Double)

  // Returns the items in `window`, nearest first.
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
    // Items that leave are moved first, to free workers and memory for items
    // that arrive.
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

  // All levels are below `.high`, which displays that the loop waits for may
  // use. The priority decreases by one level per 1/16 of a viewport length.
  private static func priority(_ distance: Double) -> OperationPriority {
    let highest = Double(OperationPriority.high.rawValue) - 1
    return OperationPriority(Int(max(-128, highest - (distance * 16).rounded(.up))))
  }
}
