/// Something in a long content: a card of a feed.
///
/// Its node is its own to make, when it comes near enough to be preloaded, and to let go
/// of, when it leaves. The controller does all else with it.
public protocol RangeItem: AnyObject {
  /// Where it is, in the coordinates of the viewport.
  ///
  /// Asked on the loop, after `items` was set or `framesDidChange` was called.
  var frame: Rect { get }

  /// What shows it, once it is built.
  ///
  /// Asked on the loop, in each update. An item that is given one later tells the
  /// controller by `setNeedsUpdate`.
  var node: Node? { get }

  /// Says that it came to, or went from, somewhere.
  ///
  /// Called on the loop, in an update: on coming nearer before its node is asked for, on
  /// going away once that was cancelled and dropped.
  func didMove(from old: RangePlace, to new: RangePlace)
}
