/// An item of long content, such as a card of a feed.
///
/// The item creates its node when the item comes near enough to be preloaded,
/// and releases the node when the item leaves the preload range. The range
/// controller loads, displays and unloads the node.
public protocol RangeItem: AnyObject {
  /// The frame in the coordinates of the viewport.
  ///
  /// Called on the loop, after `items` was set or `framesDidChange()` was
  /// called.
  var frame: Rect { get }

  /// The node that shows the item, or nil if it has not been built.
  ///
  /// Called on the loop in each update. An item that creates its node after the
  /// update must call the controller's `setNeedsUpdate()`.
  var node: Node? { get }

  /// Notifies the item that its place has changed.
  ///
  /// Called on the loop during an update. If the item comes nearer, the
  /// controller reads `node` after this call. If the item moves away, its
  /// displays have already been cancelled and its contents dropped.
  func didMove(from old: RangePlace, to new: RangePlace)
}
