/// Hands one finger's, or a mouse's, touches to the controls of a tree.
///
/// The control in front where a touch begins has it until it ends, wherever it goes. One
/// that is disabled, or is no part of the tree any more, has its touch cancelled. Of the
/// loop. For each further finger there is a router.
///
/// ```swift
/// let router = TouchRouter(card)
/// router.began(at: Point(x: 20, y: 30))
/// router.ended(at: Point(x: 21, y: 30))
/// ```
public final class TouchRouter {
  /// The tree. It is kept alive.
  public let root: Node

  /// The control that has the touch; nil if none does.
  public private(set) weak var control: ControlNode?

  // loop only, as `control`: what is told to nodes checks.
  private var tapCount = 1

  /// A router for `root` and its parts.
  public init(_ root: Node) { self.root = root }

  /// A touch began. If there is one already, that is cancelled.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - point: In the coordinates in which `root` has its frame.
  ///   - tapCount: How many taps came shortly after each other, this one included.
  /// - Returns: Whether a control has it.
  @discardableResult
  public func began(at point: Point, tapCount: Int = 1) -> Bool {
    cancelled()
    self.tapCount = tapCount
    let origin = root.frame.origin
    let hit = root.hitTest(Point(x: point.x - origin.x, y: point.y - origin.y))
    guard let control = hit as? ControlNode, let location = control.convert(point, from: root)
    else { return false }
    guard control.touchBegan(Touch(at: location, tapCount: tapCount)) else { return false }
    // Unless its own action disabled it.
    self.control = control.isTracking ? control : nil
    return true
  }

  /// The touch moved.
  ///
  /// Call on the loop.
  public func moved(to point: Point) {
    guard let (control, touch) = following(point) else { return }
    control.touchMoved(touch)
    if !control.isTracking { self.control = nil }
  }

  /// The touch ended.
  ///
  /// Call on the loop.
  public func ended(at point: Point) {
    guard let (control, touch) = following(point) else { return }
    self.control = nil
    control.touchEnded(touch)
  }

  /// The touch is somebody else's: of a scroll that began with it, say.
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
