/// What is called for some events of a control.
///
/// Kept by the control until it is removed or its target is gone. Of the loop.
public final class ControlAction {
  let events: ControlEvents
  private let body: (ControlNode, ControlEvents) -> Bool
  // loop only, as the control that calls it.
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

  /// Calls it; false if its target is gone.
  func perform(_ control: ControlNode, _ events: ControlEvents) -> Bool { body(control, events) }

  /// Whether it is `target`'s.
  func belongs(to target: AnyObject) -> Bool { self.target === target }

  /// Whether it can be called still.
  var hasTarget: Bool { target != nil }
}
