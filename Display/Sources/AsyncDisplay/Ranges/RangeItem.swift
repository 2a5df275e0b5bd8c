/// An item of long content, such as a card of a feed.
///
/// The item creates its node when it comes near enough to be preloaded, and
/// releases it when it leaves. The range controller loads, displays and unloads
/// the node.
public protocol RangeItem: AnyObject {
  /// The frame in the coordinates of the viewport.
  ///
  /// Called on the loop, after `items` was set or `framesDidChange()` was
  /// called.
  var frame: Rect { get }

  /// The node that shows the item, or nil if it has not been built.
  ///
  /// Called on the loop in each update. An item that gets its node later calls
  /// the controller's `setNeedsUpdate()`.
  var node: Node? { get }

  /// Notifies the item that its place has changed.
  ///
  /// Called on the loop during an update. If the item comes nearer, `node` is
  /// read after this call. If it moves away, its displays have already been
  /// cancelled and its contents dropped.
  func didMove(from old: RangePlace, to new: RangePlace)
}
