// A touch, from its beginning to its end. A `TouchRouter` calls these; who has events of
// another kind calls them, too.
extension ControlNode {
  /// A touch began in it. One that it followed is cancelled.
  ///
  /// Call on the loop.
  ///
  /// - Returns: Whether it follows the touch.
  @discardableResult
  public func touchBegan(_ touch: Touch) -> Bool {
    check("ControlNode.touchBegan")
    touchCancelled()
    guard isEnabled, beginTracking(touch) else { return false }
    isTracking = true
    isHighlighted = true
    tell(touch.tapCount > 1 ? [.touchDown, .touchDownRepeat] : .touchDown)
    return true
  }

  /// The touch that it follows moved. Does nothing if it follows none.
  ///
  /// Call on the loop.
  public func touchMoved(_ touch: Touch) {
    check("ControlNode.touchMoved")
    guard isTracking else { return }
    guard continueTracking(touch) else { return touchCancelled() }
    let (wasInside, isInside) = (isHighlighted, contains(touch.location))
    isHighlighted = isInside
    var events: ControlEvents = isInside ? .touchDragInside : .touchDragOutside
    if wasInside != isInside { events.insert(isInside ? .touchDragEnter : .touchDragExit) }
    tell(events)
  }

  /// The touch that it follows ended. Does nothing if it follows none.
  ///
  /// Call on the loop.
  public func touchEnded(_ touch: Touch) {
    check("ControlNode.touchEnded")
    guard isTracking else { return }
    isTracking = false
    isHighlighted = false
    endTracking(touch)
    tell(contains(touch.location) ? .touchUpInside : .touchUpOutside)
  }

  /// The touch that it follows is somebody else's now. Does nothing if it follows none.
  ///
  /// Call on the loop.
  public func touchCancelled() {
    check("ControlNode.touchCancelled")
    guard isTracking else { return }
    isTracking = false
    isHighlighted = false
    endTracking(nil)
    tell(.touchCancel)
  }

  private func tell(_ events: ControlEvents) { if sendsTouches { send(events) } }
}
