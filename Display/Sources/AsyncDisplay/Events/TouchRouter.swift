/// Passes the touches of one finger or mouse to the controls of a tree.
///
/// The frontmost control at the point where a touch begins receives the whole
/// touch, wherever the touch moves. The touch is cancelled if the control is
/// disabled or removed from the tree. Use one router per finger. A router
/// belongs to the loop.
///
/// ```swift
/// let router = TouchRouter(card)
/// router.began(at: Point(x: 20, y: 30))
/// router.ended(at: Point(x: 21, y: 30))
/// ```
public final class TouchRouter {
  /// The root of the tree. Retained.
  public let root: Node

  /// The control that receives the current touch, or nil.
  public private(set) weak var control: ControlNode?

  // loop only, like `control`; the node functions that the router calls check
  // the thread.
  private var tapCount = 1

  /// Creates a router for `root` and its subnodes.
  public init(_ root: Node) { self.root = root }

  /// Begins a touch. Cancels the current touch, if any.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - point: The position in the coordinates of `root`'s frame.
  ///   - tapCount: The number of taps in quick succession, including this one.
  /// - Returns: Whether a control receives the touch.
  @discardableResult
  public func began(at point: Point, tapCount: Int = 1) -> Bool {
    cancelled()
    self.tapCount = tapCount
    let origin = root.frame.origin
    let hit = root.hitTest(Point(x: point.x - origin.x, y: point.y - origin.y))
    guard let control = hit as? ControlNode, let location = control.convert(point, from: root)
    else { return false }
    guard control.touchBegan(Touch(at: location, tapCount: tapCount)) else { return false }
    // An action may have disabled the control.
    self.control = control.isTracking ? control : nil
    return true
  }

  /// Moves the touch.
  ///
  /// Call on the loop.
  public func moved(to point: Point) {
    guard let (control, touch) = following(point) else { return }
    control.touchMoved(touch)
    if !control.isTracking { self.control = nil }
  }

  /// Ends the touch.
  ///
  /// Call on the loop.
  public func ended(at point: Point) {
    guard let (control, touch) = following(point) else { return }
    self.control = nil
    control.touchEnded(touch)
  }

  /// Cancels the touch, for example because a scroll took over the touch.
  ///
  /// Call on the loop.
  public func cancelled() {
    let control = control
    self.control = nil
    control?.touchCancelled()
  }

  private func following(_ point: Point) -> (ControlNode, Touch)? {
    guard let control else { return nil }
    guard control.isTracking, let location = control.convert(point, from: root) else {
      cancelled()
      return nil
    }
    return (control, Touch(at: location, tapCount: tapCount))
  }
}
