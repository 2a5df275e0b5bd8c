/// An action that a control performs for certain events.
///
/// `ControlNode.addTarget` returns it. The control retains the action until
/// `cancel()`, `ControlNode.removeTarget(_:)`, or until its target is
/// deallocated. Belongs to the loop.
public final class ControlAction {
  /// The events that the action is called for.
  public let events: ControlEvents
  private let body: (ControlNode, ControlEvents) -> Bool
  // loop only, like the control that calls it.
  private weak var target: AnyObject?
  // loop only. The control that the action was added to.
  weak var control: ControlNode?

  init<Target: AnyObject>(
    _ target: Target,
    for events: ControlEvents,
    _ action: @escaping (Target, ControlNode, ControlEvents) -> Void
  ) {
    self.events = events
    self.target = target
    body = { [weak target] control, events in
      guard let target else { return false }
      action(target, control, events)
      return true
    }
  }

  /// Removes the action from its control, which no longer calls it. Calling this
  /// again does nothing.
  ///
  /// Call on the thread that builds the tree, or on the loop if the control is
  /// loaded.
  public func cancel() { control?.remove(self) }

  /// Calls the action. Returns false if the target has been deallocated.
  func perform(_ control: ControlNode, _ events: ControlEvents) -> Bool { body(control, events) }

  /// Returns whether the action belongs to `target`.
  func belongs(to target: AnyObject) -> Bool { self.target === target }

  /// Whether the target is alive.
  var hasTarget: Bool { target != nil }
}
