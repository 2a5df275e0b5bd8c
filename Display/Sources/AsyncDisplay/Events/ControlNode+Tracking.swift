// Touch tracking. A `TouchRouter` calls these functions. Code with another
// source of events can call them, too.
extension ControlNode {
  /// Begins tracking `touch`. Cancels the touch that is being tracked, if any.
  ///
  /// Call on the loop.
  ///
  /// - Returns: Whether the control tracks the touch.
  @discardableResult
  public func touchBegan(_ touch: Touch) -> Bool {
    check("ControlNode.touchBegan")
    touchCancelled()
    guard isEnabled, beginTracking(touch) else { return false }
    isTracking = true
    isHighlighted = true
    sendTouch(touch.tapCount > 1 ? [.touchDown, .touchDownRepeat] : .touchDown)
    return true
  }

  /// Handles a movement of the tracked touch. Does nothing if no touch is
  /// tracked.
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
    sendTouch(events)
  }

  /// Handles the end of the tracked touch. Does nothing if no touch is tracked.
  ///
  /// Call on the loop.
  public func touchEnded(_ touch: Touch) {
    check("ControlNode.touchEnded")
    guard isTracking else { return }
    isTracking = false
    isHighlighted = false
    endTracking(touch)
    sendTouch(contains(touch.location) ? .touchUpInside : .touchUpOutside)
  }

  /// Cancels the tracked touch, for example because a scroll took over the
  /// touch. Does nothing if no touch is tracked.
  ///
  /// Call on the loop.
  public func touchCancelled() {
    check("ControlNode.touchCancelled")
    guard isTracking else { return }
    isTracking = false
    isHighlighted = false
    endTracking(nil)
    sendTouch(.touchCancel)
  }

  private func sendTouch(_ events: ControlEvents) { if sendsTouches { send(events) } }
}
