/// What a touch did to a control. A set: what is asked for, and what happened, may be
/// several; an action is called if one of them is the same.
public struct ControlEvents: OptionSet, Hashable, Sendable {
  /// A bit for each.
  public let rawValue: UInt16

  /// The events of these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A touch began in it.
  public static let touchDown = ControlEvents(rawValue: 1)
  /// A touch began in it again, shortly after another: comes with `touchDown`.
  public static let touchDownRepeat = ControlEvents(rawValue: 2)
  /// A touch moved within it.
  public static let touchDragInside = ControlEvents(rawValue: 4)
  /// A touch that began in it moved, outside.
  public static let touchDragOutside = ControlEvents(rawValue: 8)
  /// A touch that began in it came back: comes with `touchDragInside`.
  public static let touchDragEnter = ControlEvents(rawValue: 16)
  /// A touch left it: comes with `touchDragOutside`.
  public static let touchDragExit = ControlEvents(rawValue: 32)
  /// A touch that began in it ended in it.
  public static let touchUpInside = ControlEvents(rawValue: 64)
  /// A touch that began in it ended outside.
  public static let touchUpOutside = ControlEvents(rawValue: 128)
  /// A touch was taken from it, or it can not answer any more.
  public static let touchCancel = ControlEvents(rawValue: 256)

  /// All of these.
  public static let all = ControlEvents(rawValue: 511)
}
