/// The effects of a touch on a control. An action is called if at least one of
/// its events occurred.
///
/// Names and meanings match UIKit's `UIControl.Event`.
public struct ControlEvents: OptionSet, Hashable, Sendable {
  /// One bit per event.
  public let rawValue: UInt16

  /// Creates a set from its bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A touch began in the control.
  public static let touchDown = ControlEvents(rawValue: 1)
  /// A touch began in the control shortly after the previous touch. Occurs
  /// together with `touchDown`.
  public static let touchDownRepeat = ControlEvents(rawValue: 2)
  /// The touch moved inside the control.
  public static let touchDragInside = ControlEvents(rawValue: 4)
  /// The touch moved outside the control.
  public static let touchDragOutside = ControlEvents(rawValue: 8)
  /// The touch moved back into the control. Occurs together with
  /// `touchDragInside`.
  public static let touchDragEnter = ControlEvents(rawValue: 16)
  /// The touch left the control. Occurs together with `touchDragOutside`.
  public static let touchDragExit = ControlEvents(rawValue: 32)
  /// The touch ended inside the control.
  public static let touchUpInside = ControlEvents(rawValue: 64)
  /// The touch ended outside the control.
  public static let touchUpOutside = ControlEvents(rawValue: 128)
  /// The touch was cancelled, or the control was disabled or removed.
  public static let touchCancel = ControlEvents(rawValue: 256)

  /// All events.
  public static let all = ControlEvents(rawValue: 511)
}
