package import AsyncDisplay

/// The state that the user sees and changes: the scroll position, the likes, the
/// focus and the details view.
///
/// A model is a value without threads, clocks or bitmaps. Times are in seconds
/// of any monotonic clock.
package struct FeedModel: Sendable {
  /// A part of the window that a touch can begin in.
  package enum Target: Hashable, Sendable {
    case card(Int)
    case like(Int)
    case close
    /// The panel of the details view.
    case panel
    /// The dimmed feed around the panel.
    case outside
  }

  /// The open details view.
  package struct Details: Sendable {
    /// The index of the card.
    package var index: Int
    /// The scroll position within the panel.
    package var scroller = Scroller(range: 0...0)
  }

  // A finger or the mouse button that is down.
  private struct Press: Sendable {
    let target: Target?
    let start: Point
    // The target and the position of the latest movement.
    var current: Target?
    var last: Point
    var isDrag = false
  }

  /// The size of the window.
  package private(set) var size: Size
  /// The frames of the cards.
  package private(set) var layout: FeedLayout
  /// The scroll position of the feed.
  package private(set) var scroller: Scroller
  /// The cards that the user likes.
  package private(set) var likes: Set<Int> = []
  /// The card with the keyboard focus, or nil before a key moved it.
  package private(set) var focus: Int?
  /// The details view, or nil while it is closed.
  package private(set) var details: Details?

  private let corpus: CardCorpus
  private let count: Int
  private var press: Press?

  /// Creates a model of `count` cards at the top of the feed.
  package init(_ corpus: CardCorpus, count: Int, size: Size) {
    (self.corpus, self.count, self.size) = (corpus, count, size)
    layout = FeedLayout(corpus, count: count, width: size.width)
    scroller = Scroller(range: 0...max(0, layout.height - size.height))
  }

  /// The like button that shows a touch, or nil.
  package var pressedLike: Int? {
    guard let press, press.current == press.target, case .like(let index) = press.target
    else { return nil }
    return index
  }

  /// Whether the scroll position changes without further input.
  package func isMoving(at time: Double) -> Bool {
    scroller.isMoving(at: time) || details?.scroller.isMoving(at: time) == true
  }
}

// The window.
extension FeedModel {
  /// Lays the feed out for a window of `size`. The first visible card stays
  /// where it is.
  package mutating func resize(to size: Size, at time: Double) {
    guard size != self.size else { return }
    let position = scroller.position(at: time)
    let first = layout.cards(from: position, to: position + self.size.height).first
    let offset = first.map { position - layout.frames[$0].origin.y } ?? 0
    if size.width != self.size.width {
      layout = FeedLayout(corpus, count: count, width: size.width)
    }
    self.size = size
    scroller.range = 0...max(0, layout.height - size.height)
    scroller.jump(to: first.map { layout.frames[$0].origin.y + offset } ?? 0, at: time)
    press = nil
    details?.scroller.range = 0...0
  }

  /// Sets the height of the details view's content, once it is laid out.
  package mutating func setDetailsHeight(_ height: Double) {
    details?.scroller.range = 0...max(0, height - FeedParts.panel(in: size).size.height)
  }

  /// Returns the frame of the card at `index` within the window.
  package func frame(of index: Int, at time: Double) -> Rect {
    var frame = layout.frames[index]
    frame.origin.y -= scroller.position(at: time)
    return frame
  }
}

// Input.
extension FeedModel {
  /// Applies `input`.
  package mutating func handle(_ input: FeedInput, at time: Double) {
    switch input {
    case .pressed(let point): touchBegan(at: point, time)
    case .dragged(let point): touchMoved(to: point, time)
    case .released(let point): touchEnded(at: point, time)
    case .cancelled:
      if press?.isDrag == true { change { $0.release(at: time) } }
      press = nil
    case .wheel(let notches): change { $0.glide(notches * Self.notch, at: time) }
    case .keyDown(let key): keyDown(key, time)
    case .keyUp(.up), .keyUp(.down): change { $0.move(0, at: time) }
    case .keyUp: break
    }
  }

  /// The distance of one notch of the wheel in points: six lines of a card's
  /// text.
  package static let notch = 112.0
  // The speed of a key that is held, in points per second. Not measured.
  private static let keySpeed = 1500.0
  // A touch that moves less than this many points is a tap. Not measured.
  private static let slop = 8.0

  // A page keeps a tenth of the view visible.
  private var page: Double {
    0.9 * (details == nil ? size.height : FeedParts.panel(in: size).size.height)
  }

  // Changes the scroller of the view in front.
  private mutating func change(_ body: (inout Scroller) -> Void) {
    guard var open = details else { return body(&scroller) }
    body(&open.scroller)
    details = open
  }

  /// Returns the frontmost target at `point`.
  package func target(at point: Point, _ time: Double) -> Target? {
    if let details {
      let panel = FeedParts.panel(in: size)
      if FeedParts.close(in: panel).holds(point) { return .close }
      if FeedParts.detailsLike(in: panel).holds(point) { return .like(details.index) }
      return panel.holds(point) ? .panel : .outside
    }
    let place = Point(x: point.x, y: point.y + scroller.position(at: time))
    for index in layout.cards(from: place.y, to: place.y + 1) {
      let frame = layout.frames[index]
      guard frame.holds(place) else { continue }
      return FeedParts.like(in: frame).holds(place) ? .like(index) : .card(index)
    }
    return nil
  }
}

// Touches.
extension FeedModel {
  private mutating func touchBegan(at point: Point, _ time: Double) {
    // A touch that stops a scroll is not a tap, because the user did not see
    // where it would land.
    let wasMoving = isMoving(at: time)
    change { $0.move(0, at: time) }
    let target = wasMoving ? nil : target(at: point, time)
    press = Press(target: target, start: point, current: target, last: point)
  }

  private mutating func touchMoved(to point: Point, _ time: Double) {
    guard var press else { return }
    if !press.isDrag, max(abs(point.x - press.start.x), abs(point.y - press.start.y)) > Self.slop {
      // A touch that began in a button belongs to it.
      switch press.target {
      case .like, .close: break
      case .card, .panel, .outside, nil: press.isDrag = true
      }
    }
    if press.isDrag {
      change { $0.drag(press.last.y - point.y, at: time) }
      press.current = nil
    } else {
      press.current = target(at: point, time)
    }
    // The distance within the slop is part of the drag, so that the content
    // stays under the finger.
    if press.isDrag { press.last = point }
    self.press = press
  }

  private mutating func touchEnded(at point: Point, _ time: Double) {
    guard let press else { return }
    self.press = nil
    guard !press.isDrag else { return change { $0.release(at: time) } }
    guard let target = press.target, target == self.target(at: point, time) else { return }
    switch target {
    case .card(let index): open(index, time)
    case .like(let index): toggleLike(of: index)
    case .close, .outside: close()
    case .panel: break
    }
  }

  private mutating func toggleLike(of index: Int) {
    if likes.remove(index) == nil { likes.insert(index) }
  }

  private mutating func open(_ index: Int, _ time: Double) {
    scroller.move(0, at: time)
    details = Details(index: index)
  }

  private mutating func close() { (details, press) = (nil, nil) }
}

// Keys.
extension FeedModel {
  private mutating func keyDown(_ key: FeedKey, _ time: Double) {
    switch key {
    case .up: change { $0.move(-Self.keySpeed, at: time) }
    case .down: change { $0.move(Self.keySpeed, at: time) }
    case .pageUp: change { [page] in $0.glide(-page, at: time) }
    case .pageDown: change { [page] in $0.glide(page, at: time) }
    case .home: change { $0.jump(to: $0.range.lowerBound, at: time) }
    case .end: change { $0.jump(to: $0.range.upperBound, at: time) }
    case .stop: change { $0.move(0, at: time) }
    case .next: moveFocus(by: 1, time)
    case .previous: moveFocus(by: -1, time)
    case .open: if details == nil, let index = keyed(at: time) { open(index, time) }
    case .close: close()
    case .like: if let index = details?.index ?? keyed(at: time) { toggleLike(of: index) }
    }
  }

  // The card that keys apply to: the focused card if it is visible, otherwise
  // the first card that is at least half visible.
  private func keyed(at time: Double) -> Int? {
    let position = scroller.position(at: time)
    let visible = layout.cards(from: position, to: position + size.height)
    if let focus, visible.contains(focus) { return focus }
    return visible.first { layout.frames[$0].midY >= position } ?? visible.first
  }

  private mutating func moveFocus(by step: Int, _ time: Double) {
    guard details == nil else { return }
    let position = scroller.position(at: time)
    let visible = layout.cards(from: position, to: position + size.height)
    // The first key focuses a visible card, and so does a key after the focused
    // card was scrolled away.
    if let focus, visible.contains(focus) {
      self.focus = min(max(focus + step, 0), count - 1)
    } else {
      focus = keyed(at: time)
    }
    guard let focus else { return }
    let frame = layout.frames[focus]
    let isAbove = frame.origin.y < position
    guard isAbove || frame.maxY > position + size.height else { return }
    // A card that is higher than the window shows its top.
    let bottom = frame.maxY + FeedLayout.gap - size.height
    let top = frame.origin.y - FeedLayout.gap
    scroller.jump(to: isAbove ? top : min(top, bottom), at: time)
  }
}
