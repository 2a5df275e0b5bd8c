/// A canvas that answers touches: buttons, and what else is pressed.
///
/// It needs no layer of its own: where it is a part of a picture, the picture is drawn
/// anew when it is pressed, off the loop, and shows what it did until then.
///
/// ```swift
/// final class Heart: ControlNode {
///   override func makeDrawing() -> DisplayTask.Display? {
///     { [isHighlighted] context, size, _ in
///       context.fill(Rect(size: size), with: Color(white: isHighlighted ? 0.5 : 0.8))
///     }
///   }
/// }
/// heart.addTarget(card, for: .touchUpInside) { card, _, _ in card.like() }
/// ```
///
/// After Graver's WMGCanvasControl, whose press events were compared as a whole, and drew
/// on the main thread.
open class ControlNode: CanvasNode {
  /// Whether it answers touches. One that it has is cancelled when it does not any more.
  public var isEnabled = true {
    didSet {
      check("ControlNode.isEnabled")
      guard isEnabled != oldValue else { return }
      if !isEnabled { touchCancelled() }
      stateDidChange()
    }
  }

  /// Whether it is chosen. It is for actions to set.
  public var isSelected = false {
    didSet {
      check("ControlNode.isSelected")
      if isSelected != oldValue { stateDidChange() }
    }
  }

  // loop only, once it is loaded; the touches check.

  /// Whether a touch is on it.
  public internal(set) var isHighlighted = false {
    didSet { if isHighlighted != oldValue { stateDidChange() } }
  }

  // loop only, once it is loaded; the touches check.

  /// Whether it follows a touch that began in it.
  public internal(set) var isTracking = false

  // Whether the touch that it follows is told to actions.
  var sendsTouches: Bool { true }

  // loop only, once it is loaded; `addTarget`, `remove` and `send` check. Those whose
  // target is gone are left out when one is called.
  var actions: [ControlAction] = []

  /// Called when it was enabled, selected or highlighted, or is not any more. By default
  /// it is drawn anew.
  ///
  /// Called on the loop if it is loaded.
  open func stateDidChange() { setNeedsDisplay() }

  /// Whether it follows a touch that began in it.
  ///
  /// Called on the loop. If it does not, nobody is told of the touch.
  open func beginTracking(_ touch: Touch) -> Bool { true }

  /// Whether it follows a touch that moved any further. If it does not, the touch is
  /// cancelled.
  ///
  /// Called on the loop.
  open func continueTracking(_ touch: Touch) -> Bool { true }

  /// A touch that it followed ended, or was cancelled: nil.
  ///
  /// Called on the loop, before actions are.
  open func endTracking(_ touch: Touch?) {}

  /// Whether it is enabled, and has actions whose target is there.
  override open var answersEvents: Bool { isEnabled && hasTargets }

  // Whether there is somebody to tell.
  var hasTargets: Bool { actions.contains { $0.hasTarget } }
}

// Targets and actions.
extension ControlNode {
  /// Has `action` called for each of `events`, in the order in which actions were added.
  ///
  /// Call on the thread that builds the tree; on the loop if it is loaded.
  ///
  /// - Parameters:
  ///   - target: Not kept alive. Once it is gone so is the action.
  ///   - action: Called on the loop, with the target, the control, and those of `events`
  ///     that happened. May add and remove actions: those that were added are called
  ///     from the next event on, those that were removed no more.
  /// - Returns: What `remove` takes.
  @discardableResult
  public func addTarget<Target: AnyObject>(
    _ target: Target,
    for events: ControlEvents,
    _ action: @escaping (_ target: Target, _ control: ControlNode, _ events: ControlEvents) -> Void
  ) -> ControlAction {
    check("ControlNode.addTarget")
    let action = ControlAction(target, for: events, action)
    actions.append(action)
    return action
  }

  /// Calls `action` no more.
  ///
  /// Call as `addTarget`.
  public func remove(_ action: ControlAction) {
    check("ControlNode.remove")
    actions.removeAll { $0 === action }
  }

  /// Calls none of `target`'s actions any more.
  ///
  /// Call as `addTarget`.
  public func removeTarget(_ target: AnyObject) {
    check("ControlNode.removeTarget")
    actions.removeAll { $0.belongs(to: target) }
  }

  /// Calls the actions that were added for one of `events`.
  ///
  /// Call on the loop. What a touch does, and what stands in for one.
  public func send(_ events: ControlEvents) {
    check("ControlNode.send")
    for action in actions {
      // D-40f: some of them, not all.
      let matching = action.events.intersection(events)
      guard !matching.isEmpty, actions.contains(where: { $0 === action }) else { continue }
      if !action.perform(self, matching) { remove(action) }
    }
  }
}
