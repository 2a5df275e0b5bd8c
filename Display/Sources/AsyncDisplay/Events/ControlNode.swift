/// A canvas that handles touches, such as a button.
///
/// A control needs no layer of its own. If it is drawn into an ancestor's
/// bitmap, pressing the control redraws that bitmap on a worker. The previous
/// contents stay visible until the new bitmap is finished.
///
/// ```swift
/// final class Heart: ControlNode {
///   override func makeDrawing() -> DisplayTask.Display? {
///     { [isHighlighted] context, size, _ in
///       let color = Color(white: isHighlighted ? 0.5 : 0.8)
///       context.fill(Rect(size: size), with: color)
///     }
///   }
/// }
/// heart.addTarget(card, for: .touchUpInside) { card, _, _ in card.like() }
/// ```
///
/// Corresponds to UIKit's `UIControl`. Modelled on Graver's `WMGCanvasControl`.
open class ControlNode: CanvasNode {
  /// Whether the control handles touches. Disabling it cancels the touch that
  /// it tracks.
  public var isEnabled = true {
    didSet {
      check("ControlNode.isEnabled")
      guard isEnabled != oldValue else { return }
      if !isEnabled { touchCancelled() }
      stateDidChange()
    }
  }

  /// Whether the control is selected. Actions set this property. The control
  /// itself never changes it.
  public var isSelected = false {
    didSet {
      check("ControlNode.isSelected")
      if isSelected != oldValue { stateDidChange() }
    }
  }

  // After the node is loaded, this is loop only: the touch functions check the
  // thread.

  /// Whether a touch is inside the control.
  public internal(set) var isHighlighted = false {
    didSet { if isHighlighted != oldValue { stateDidChange() } }
  }

  // After the node is loaded, this is loop only: the touch functions check the
  // thread.

  /// Whether the control tracks a touch.
  public internal(set) var isTracking = false

  // Whether actions are called for the tracked touch.
  var sendsTouches: Bool { true }

  // After the node is loaded, this is loop only: `addTarget`, `remove` and
  // `send` check the thread. An action whose target was deallocated is removed
  // when the control next tries to call it.
  var actions: [ControlAction] = []

  /// Called when `isEnabled`, `isSelected` or `isHighlighted` changes. The
  /// default implementation redraws the node. An override that should redraw
  /// must call `super`.
  ///
  /// Called on the loop if the node is loaded.
  open func stateDidChange() { setNeedsDisplay() }

  /// Returns whether the control tracks a touch that began in it. If false, no
  /// action is called for the touch. The default is true.
  ///
  /// Called on the loop. An override need not call `super`, except in subclasses
  /// of `MixedNode`.
  open func beginTracking(_ touch: Touch) -> Bool { true }

  /// Returns whether the control continues to track a touch that moved. If
  /// false, the touch is cancelled. The default is true.
  ///
  /// Called on the loop. An override need not call `super`, except in subclasses
  /// of `MixedNode`.
  open func continueTracking(_ touch: Touch) -> Bool { true }

  /// Called when the tracked touch ended, or with nil if it was cancelled. The
  /// default does nothing.
  ///
  /// Called on the loop, before actions are called. An override need not call
  /// `super`, except in subclasses of `MixedNode`.
  open func endTracking(_ touch: Touch?) {}

  /// Whether the control is enabled and has an action with a live target. An
  /// override need not call `super`.
  override open var answersEvents: Bool { isEnabled && hasTargets }

  // Whether an action has a live target.
  var hasTargets: Bool { actions.contains { $0.hasTarget } }
}

// Targets and actions.
extension ControlNode {
  /// Adds an action that is called for each of `events`. Actions are called in
  /// the order they were added.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  ///
  /// - Parameters:
  ///   - target: The object to pass to `action`. The control does not retain
  ///     the target, and removes the action after the target was deallocated.
  ///   - events: The events that the action is called for.
  ///   - action: Called on the loop with the target, the control, and the
  ///     events among `events` that occurred. It may add and remove actions. An
  ///     added action is called from the next event on. A removed action is no
  ///     longer called.
  /// - Returns: The action, which `ControlAction.cancel()` removes.
  @discardableResult
  public func addTarget<Target: AnyObject>(
    _ target: Target,
    for events: ControlEvents,
    _ action: @escaping (_ target: Target, _ control: ControlNode, _ events: ControlEvents) -> Void
  ) -> ControlAction {
    check("ControlNode.addTarget")
    let action = ControlAction(target, for: events, action)
    action.control = self
    actions.append(action)
    return action
  }

  /// Removes `action`.
  func remove(_ action: ControlAction) {
    check("ControlAction.cancel")
    actions.removeAll { $0 === action }
  }

  /// Removes all actions of `target`.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  public func removeTarget(_ target: AnyObject) {
    check("ControlNode.removeTarget")
    actions.removeAll { $0.belongs(to: target) }
  }

  /// Calls the actions added for at least one of `events`.
  ///
  /// Call on the loop. The control calls this function for touches. Code that
  /// handles other input can call it directly.
  public func send(_ events: ControlEvents) {
    check("ControlNode.send")
    for action in actions {
      // An action is called if it has at least one event in common with
      // `events`.
      let matching = action.events.intersection(events)
      guard !matching.isEmpty, actions.contains(where: { $0 === action }) else { continue }
      if !action.perform(self, matching) { remove(action) }
    }
  }
}
