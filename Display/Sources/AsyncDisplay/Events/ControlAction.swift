/// An action that a control performs for certain events.
///
/// `ControlNode.addTarget` returns it, and `ControlNode.remove(_:)` takes it.
/// The control retains the action until it is removed or its target is
/// deallocated. Belongs to the loop.
public final class ControlAction {
  /// The events that the action is called for.
  public let events: ControlEvents
  private let body: (ControlNode, ControlEvents) -> Bool
  // loop only, like the control that calls it.
  private weak var target: AnyObject?

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

  /// Calls the action. Returns false if the target has been deallocated.
  func perform(_ control: ControlNode, _ events: ControlEvents) -> Bool { body(control, events) }

  /// Returns whether the action belongs to `target`.
  func belongs(to target: AnyObject) -> Bool { self.target === target }

  /// Whether the target is alive.
  var hasTarget: Bool { target != nil }
}
