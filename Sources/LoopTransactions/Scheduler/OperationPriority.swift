/// The urgency of an operation. Higher priorities run first.
///
/// There are 256 levels, so a priority can be the distance to the viewport. A
/// value type: use it on any thread.
///
/// See also: `DispatchQoS` is the counterpart in Dispatch. Modelled on Texture's
/// drawing priority.
public struct OperationPriority: Hashable, Comparable, Sendable, RawRepresentable {
  /// The level, from -128 to 127.
  public let rawValue: Int8

  /// Creates a priority from its level.
  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// Creates a priority from a level. Clamps `level` to -128...127.
  public init(_ level: Int) { self.init(rawValue: Int8(clamping: level)) }

  /// For work that no user waits for. Level -64.
  public static var background: OperationPriority { OperationPriority(rawValue: -64) }

  /// For work that can wait until other requested work is done. Level -32.
  public static var low: OperationPriority { OperationPriority(rawValue: -32) }

  /// The default. Level 0.
  public static var normal: OperationPriority { OperationPriority(rawValue: 0) }

  /// For work that a user waits for. Level 64.
  public static var high: OperationPriority { OperationPriority(rawValue: 64) }

  /// For work that responds to a current gesture. Level 96.
  public static var interactive: OperationPriority { OperationPriority(rawValue: 96) }

  /// Whether `left` runs after `right`.
  public static func < (left: OperationPriority, right: OperationPriority) -> Bool {
    left.rawValue < right.rawValue
  }
}
