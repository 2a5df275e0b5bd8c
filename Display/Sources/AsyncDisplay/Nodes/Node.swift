public import LoopTransactions

/// A rectangle of the user interface. A node has a frame, a drawing and
/// subnodes.
///
/// A tree of nodes can be built and laid out on any single thread.
/// `Display.build` passes the tree to the loop. Any other transfer that the
/// compiler accepts for a type that is not `Sendable` works, too. From
/// `load(in:)` on, the tree belongs to the loop's thread. Each node then has a
/// layer, or is drawn into the layer of an ancestor whose `rasterizesSubtree`
/// is true.
///
/// A subclass overrides `makeDrawing()` and calls `setNeedsDisplay()` when its
/// drawing changes:
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
/// A tree has at most `deepestTree` levels.
///
/// Modelled on Texture's `ASDisplayNode`. A node plays the role of a `UIView`,
/// but can be created and laid out off the main thread.
open class Node {
  /// The node that contains this node.
  public internal(set) weak var supernode: Node?

  /// The nodes that this node contains, from back to front.
  public internal(set) var subnodes: [Node] = []

  /// The position and size in the supernode, in points. Moving a node that has
  /// its own layer does not redraw it.
  public var frame = Rect.zero {
    didSet { if frame != oldValue { frameDidChange(from: oldValue) } }
  }

  /// The opacity of the node and its subnodes, from 0 to 1. If it is 0, they
  /// are not drawn.
  public var alpha = 1.0 {
    didSet { if alpha != oldValue { placeDidChange("Node.alpha") } }
  }

  /// Whether the node and its subnodes are hidden.
  public var isHidden = false {
    didSet { if isHidden != oldValue { placeDidChange("Node.isHidden") } }
  }

  /// The fill colour behind the node's drawing.
  public var backgroundColor: Color? {
    didSet { if backgroundColor != oldValue { setNeedsDisplay() } }
  }

  /// The radius of the node's corners. The node and its subnodes are clipped to
  /// the rounded corners.
  public var cornerRadius = 0.0 {
    didSet { if cornerRadius != oldValue { setNeedsDisplay() } }
  }

  /// Whether subnodes are clipped to the node's bounds.
  public var clipsToBounds = false {
    didSet { if clipsToBounds != oldValue { placeDidChange("Node.clipsToBounds") } }
  }

  /// Whether the node's layer is opaque. See `Layer.isOpaque`.
  public var isOpaque = false {
    didSet { if isOpaque != oldValue { settingsDidChange("Node.isOpaque", isSeen: true) } }
  }

  /// The number of pixels per point, for the layers of the node and its
  /// subnodes. `load(in:scale:)` sets it.
  public var scale = 1.0 {
    didSet { if scale != oldValue { scaleDidChange() } }
  }

  /// Whether one operation draws the node and its subnodes into one bitmap, so
  /// that they appear together.
  ///
  /// - Precondition: The tree is not loaded. Neither an ancestor nor a subnode
  ///   rasterizes its subtree.
  public var rasterizesSubtree = false {
    didSet {
      require(!isLoaded, "Node.rasterizesSubtree must be set before the node is loaded")
      guard rasterizesSubtree != oldValue else { return }
      rasterizingDidChange(by: rasterizesSubtree ? 1 : -1)
    }
  }

  /// The bitmap shown until the node and all its subnodes have been displayed.
  public var placeholder: Bitmap? {
    didSet { check("Node.placeholder") }
  }

  /// The duration of the fade when contents appear in an empty layer.
  public var fadeDuration = Duration.zero {
    didSet { if fadeDuration != oldValue { settingsDidChange("Node.fadeDuration", isSeen: false) } }
  }

  /// Whether workers draw the node.
  public var displaysAsynchronously = true {
    didSet {
      guard displaysAsynchronously != oldValue else { return }
      settingsDidChange("Node.displaysAsynchronously", isSeen: false)
    }
  }

  /// The layer of the node, or nil if the node is not loaded or an ancestor
  /// draws it.
  public internal(set) var layer: Layer?

  /// The display in which the node is loaded, or nil if the node is not loaded.
  public internal(set) var display: Display?

  /// Whether the node and all its subnodes have been displayed since they were
  /// loaded.
  public internal(set) var hasDisplayedHierarchy = false

  var needsLayout = true

  // The number of levels of the subtree, and the number of nodes in it that
  // rasterize their subtree. Both include this node.
  var height = 1
  var rasterizingCount = 0

  // `isAwaited` tells whether the bitmap waits for this node. `awaitedCount` is
  // the number of nodes that this node's bitmap waits for. `isGivenUp` tells
  // whether the preparation of these nodes was cancelled.
  var isAwaited = false
  var awaitedCount = 0
  var isGivenUp = false

  /// The lowest index at which a subnode may be inserted.
  var backmostIndex: Int { 0 }

  // The index of the subnode that the last check found not to be displayed yet.
  var awaitedPart = 0

  /// The images that the node draws. Preparing, cancelling and waiting for the
  /// node includes these images.
  var loads: [ImageLoad] { [] }

  /// The number of bytes of temporary bitmaps that drawing needs in addition to
  /// the bitmap that it draws into.
  var scratchBytes: Int { 0 }

  // The picture into which the subnodes are flattened.
  var flat: FlatPicture?

  /// Creates a node with an empty frame.
  public init() {}

  /// Called after the node was loaded. The layer and the scale are already set.
  func didLoad() {}

  /// Applies changed settings to the layer. `isSeen` tells whether the settings
  /// affect the contents.
  func settingsDidChange(_ operation: StaticString, isSeen: Bool) {
    check(operation)
    if isSeen { partDidChange() }
    configureLayer()
  }

  private func scaleDidChange() {
    settingsDidChange("Node.scale", isSeen: true)
    // Before loading, each node can have a different scale.
    if isLoaded { for node in subnodes { node.scale = scale } }
  }

  /// The rectangle into which the node draws and to which it clips its
  /// subnodes. It is smaller than `bounds` in a canvas with a shadow.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  public var contentRect: Rect { bounds }

  /// The fill colour of the node's own bitmap.
  var ownBackground: Color? { backgroundColor }

  /// Returns the background that is drawn outside the clip. If nil, the node is
  /// filled with `ownBackground`.
  func makeBackdrop() -> Backdrop? { nil }

  // Functions and properties for subclasses to override.

  /// Sets the frames of the subnodes.
  ///
  /// Called when the node's size has changed or `setNeedsLayout()` was called.
  /// The call is made on the thread that builds the tree, or on the loop if the
  /// node is loaded. The default implementation does nothing. An override need
  /// not call `super`, except in subclasses of `BandedNode`.
  open func layOut() {}

  /// Whether the node handles touches. Touches that no node handles are passed
  /// to the nodes behind. `flatten()` merges only nodes that do not handle
  /// touches.
  ///
  /// Called on the loop if the node is loaded. An override need not call
  /// `super`.
  open var answersEvents: Bool { false }

  /// Returns whether `point`, in the node's coordinates, is inside the node. By
  /// default a point is inside if it is in `contentRect` with its rounded
  /// corners.
  ///
  /// Called on the loop if the node is loaded. An override need not call
  /// `super`, except in subclasses of `MixedNode`.
  open func contains(_ point: Point) -> Bool { contentRect.contains(point, radius: cornerRadius) }

  /// Returns a closure that draws the node into `contentRect`, or nil if there
  /// is nothing to draw.
  ///
  /// Called on the loop when a display begins. The closure runs on a worker and
  /// must capture by value the state that it draws. It draws in points from the
  /// top left of `contentRect`. An override need not call `super`.
  open func makeDrawing() -> DisplayTask.Display? { nil }

  /// Called on the loop before a display that draws the node begins. An
  /// override need not call `super`.
  open func willDisplay() {}

  /// Called on the loop after a display that draws the node has ended, exactly
  /// once for each call of `willDisplay()`. An override need not call `super`.
  open func didDisplay(_ outcome: DisplayOutcome) {}

  /// Updates the node's own state after a display, then calls `didDisplay`.
  func finishDisplay(_ outcome: DisplayOutcome) {
    updateState(after: outcome)
    didDisplay(outcome)
  }

  /// Called after a display, so that subclasses in this module can update their
  /// state.
  func updateState(after outcome: DisplayOutcome) {}

  /// Called on the loop after the node and all its subnodes have been displayed
  /// or have failed. An override need not call `super`.
  open func hierarchyDidDisplay() {}

  /// Whether the node is ready to be drawn. A bitmap is drawn after all its
  /// nodes are prepared.
  ///
  /// Called on the loop. Call `preparationDidChange()` when the value changes.
  /// The default is true once the node's images are decoded or have failed. An
  /// override must combine its own condition with `super`.
  open var isPrepared: Bool { loads.allSatisfy(\.hasEnded) }

  /// Begins to prepare the node. Must do nothing if preparation is already
  /// under way.
  ///
  /// Called on the loop while `isPrepared` is false, if the node is loaded,
  /// visible in its bitmap and about to be displayed. The default begins to
  /// decode the node's images. An override must call `super`.
  open func prepare() { for load in loads { load.begin() } }

  /// Cancels preparation.
  ///
  /// Called on the loop when the display is cancelled. The default cancels the
  /// decoding of the node's images. An override must call `super`.
  open func cancelPreparing() { for load in loads { load.cancel() } }

  /// Changes the priority of preparation.
  ///
  /// Called on the loop when the node's priority was set. The default changes
  /// the priority of the node's images. An override must call `super`.
  open func priorityDidChange(_ priority: OperationPriority) {
    for load in loads { load.setPriority(priority) }
  }

  /// Blocks until the node is prepared or preparation has failed.
  ///
  /// Called on the loop when the loop waits for the display. The default waits
  /// for the node's images. An override must call `super`.
  open func waitUntilPrepared() {
    ImageLoad.beginNow([self])
    for load in loads { load.wait() }
  }
}
