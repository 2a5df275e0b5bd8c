public import LoopTransactions

/// A part of a picture: a place, how it is drawn, and the parts within it.
///
/// A tree of nodes is built and laid out on any one thread, and handed to the loop by
/// `Display.build`, or by any way that the compiler accepts for what is not `Sendable`.
/// From `load(in:)` on it belongs to the loop's thread: each node has a layer then, or
/// is drawn into that of an ancestor that `rasterizesSubtree`.
///
/// A kind of node overrides `makeDrawing`, and calls `setNeedsDisplay` where what it
/// draws changes:
///
/// ```swift
/// final class Dot: Node {
///   var color = Color.black { didSet { setNeedsDisplay() } }
///
///   override func makeDrawing() -> DisplayTask.Display? {
///     { [color] context, size, _ in
///       context.fill(Rect(size: size), radius: size.width / 2, with: color)
///     }
///   }
/// }
/// ```
///
/// A tree has no more than `deepestTree` levels.
///
/// After Texture's display nodes.
open class Node {
  /// The node that it is part of.
  public internal(set) weak var supernode: Node?

  /// Its parts, those behind others first.
  public internal(set) var subnodes: [Node] = []

  /// Where it is in its supernode, in points. Moving a node with a layer of its own
  /// draws nothing anew.
  public var frame = Rect.zero {
    didSet { if frame != oldValue { frameDidChange(from: oldValue) } }
  }

  /// How opaque it is, with all its parts, from 0 to 1. At 0 none of it is drawn.
  public var alpha = 1.0 {
    didSet { if alpha != oldValue { placeDidChange("Node.alpha") } }
  }

  /// Whether none of it is drawn.
  public var isHidden = false {
    didSet { if isHidden != oldValue { placeDidChange("Node.isHidden") } }
  }

  /// What it is filled with before it is drawn.
  public var backgroundColor: Color? {
    didSet { if backgroundColor != oldValue { setNeedsDisplay() } }
  }

  /// How round its corners are. It, and its parts, are clipped to them.
  public var cornerRadius = 0.0 {
    didSet { if cornerRadius != oldValue { setNeedsDisplay() } }
  }

  /// Whether its parts are clipped to its bounds.
  public var clipsToBounds = false {
    didSet { if clipsToBounds != oldValue { placeDidChange("Node.clipsToBounds") } }
  }

  /// Whether its layer is opaque: see `Layer.isOpaque`.
  public var isOpaque = false {
    didSet { if isOpaque != oldValue { settingsDidChange("Node.isOpaque", isSeen: true) } }
  }

  /// How many pixels make a point, in its layer and those of its parts, once they are
  /// loaded; `load(in:)` sets it.
  public var scale = 1.0 {
    didSet { if scale != oldValue { scaleDidChange() } }
  }

  /// Whether it and all of its parts are one bitmap, drawn by one operation, so that
  /// they appear together.
  ///
  /// - Precondition: The tree is not loaded, and no node above or below rasterizes.
  public var rasterizesSubtree = false {
    didSet {
      require(!isLoaded, "Node.rasterizesSubtree: must be set before it is loaded")
      guard rasterizesSubtree != oldValue else { return }
      rasterizingDidChange(by: rasterizesSubtree ? 1 : -1)
    }
  }

  /// What stands in for it and its parts until all of them have been displayed.
  public var placeholder: Bitmap? {
    didSet { check("Node.placeholder") }
  }

  /// How long its contents take to appear where there were none.
  public var fadeDuration = Duration.zero {
    didSet { if fadeDuration != oldValue { settingsDidChange("Node.fadeDuration", isSeen: false) } }
  }

  /// Whether it is drawn on workers.
  public var displaysAsynchronously = true {
    didSet {
      guard displaysAsynchronously != oldValue else { return }
      settingsDidChange("Node.displaysAsynchronously", isSeen: false)
    }
  }

  /// Its layer, once it is loaded; nil in one that an ancestor draws.
  public internal(set) var layer: Layer?

  /// The display in which it is loaded.
  public internal(set) var display: Display?

  /// Whether it and its parts have all been displayed since it was loaded.
  public internal(set) var hasDisplayedHierarchy = false

  var needsLayout = true

  // Of its tree, itself included: how many levels, and how many nodes that rasterize.
  var height = 1
  var rasterizingCount = 0

  // What its picture waits for: this one; and of the one whose bitmap it is, how many of
  // its parts. Whether that got what they draw: not after it was cancelled.
  var isAwaited = false
  var awaitedCount = 0
  var isGivenUp = false

  // The number of a part that was not displayed when that was asked last.
  var awaitedPart = 0

  /// The pictures that it draws: prepared, cancelled, moved and waited for with it.
  var loads: [ImageLoad] { [] }

  /// Bytes of bitmaps that it makes while it is drawn, beside the one it is drawn into.
  var scratchBytes: Int { 0 }

  // The picture that its parts are flattened into.
  var flat: FlatPicture?

  /// A node without a place.
  public init() {}

  /// It was loaded: its layer is there, and its scale is known.
  func didLoad() {}

  /// What its layer has of it changed; whether what it shows does.
  func settingsDidChange(_ operation: StaticString, isSeen: Bool) {
    check(operation)
    if isSeen { partDidChange() }
    configureLayer()
  }

  private func scaleDidChange() {
    settingsDidChange("Node.scale", isSeen: true)
    // Before, each has its own until it is loaded.
    if isLoaded { for node in subnodes { node.scale = scale } }
  }

  /// Where it draws, and what its parts are clipped to: less than its bounds if there is
  /// something around that.
  ///
  /// Call as `layOut`.
  public var contentRect: Rect { bounds }

  /// What its own bitmap is filled with.
  var ownBackground: Color? { backgroundColor }

  /// What is drawn behind it, beyond what it is clipped to; in place of its background.
  func makeBackdrop() -> Backdrop? { nil }

  // Overridden by kinds of nodes.

  /// Places its parts, by its `frame`.
  ///
  /// Called on the thread that builds the tree, or on the loop once it is loaded, when
  /// its size changed or `setNeedsLayout` was called.
  open func layOut() {}

  /// Whether touches are for it. Those that are for no part of a tree are for what is
  /// behind it, and `flatten` makes one bitmap of what answers none.
  ///
  /// Asked on the loop if it is loaded.
  open var answersEvents: Bool { false }

  /// Whether `point`, in its own coordinates, is in it. By default where it draws, round
  /// corners left out.
  ///
  /// Asked as `answersEvents`.
  open func contains(_ point: Point) -> Bool { contentRect.contains(point, radius: cornerRadius) }

  /// How it is drawn, within `contentRect`: a closure with all of the state that it draws,
  /// by value; nil if it draws nothing.
  ///
  /// Called on the loop when a display begins. The closure runs on a worker, in points
  /// from the top left of that.
  open func makeDrawing() -> DisplayTask.Display? { nil }

  /// Called on the loop before a display that draws it begins.
  open func willDisplay() {}

  /// Called on the loop when a display that draws it has ended; as often as
  /// `willDisplay`.
  open func didDisplay(_ outcome: DisplayOutcome) {}

  /// Called on the loop once it and all of its parts have been displayed, or could not
  /// be.
  open func hierarchyDidDisplay() {}

  /// Whether all that it draws is there. A picture is drawn once that holds for all of
  /// its parts.
  ///
  /// Asked on the loop. Call `preparationDidChange` when it changes.
  open var isPrepared: Bool { loads.allSatisfy(\.hasEnded) }

  /// Begins to get what it draws; does nothing if that is on its way.
  ///
  /// Called on the loop while `isPrepared` is false, once it is loaded, when it is to be
  /// displayed and is not hidden in its picture.
  open func prepare() { for load in loads { load.begin() } }

  /// Stops getting what it draws.
  ///
  /// Called on the loop when its display is cancelled.
  open func cancelPreparing() { for load in loads { load.cancel() } }

  /// Has what it waits for come by `priority`.
  ///
  /// Called on the loop when its priority was set.
  open func priorityDidChange(_ priority: OperationPriority) {
    for load in loads { load.move(to: priority) }
  }

  /// Returns when it is prepared, or can not be.
  ///
  /// Called on the loop when its display is waited for.
  open func waitUntilPrepared() {
    ImageLoad.hasten([self])
    for load in loads { load.wait() }
  }
}
