/// How urgent an operation is: higher ones are taken first.
///
/// 256 levels, so that a distance to the viewport can be one. A value: make and
/// read it on any thread.
///
/// After Texture's drawing priority, which no operation could change any more once
/// it was queued.
public struct OperationPriority: Hashable, Comparable, Sendable, RawRepresentable {
  /// The level, from -128 to 127.
  public let rawValue: Int8

  /// The priority of level `rawValue`.
  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// The priority of the level nearest to `level`.
  public init(_ level: Int) { self.init(rawValue: Int8(clamping: level)) }

  /// What nobody waits for.
  public static var background: OperationPriority { OperationPriority(rawValue: -64) }

  /// What can wait for everything else that somebody asked for.
  public static var low: OperationPriority { OperationPriority(rawValue: -32) }

  /// What was not said to be anything else.
  public static var normal: OperationPriority { OperationPriority(rawValue: 0) }

  /// What somebody waits for.
  public static var high: OperationPriority { OperationPriority(rawValue: 64) }

  /// What a finger is on.
  public static var interactive: OperationPriority { OperationPriority(rawValue: 96) }

  /// Whether `left` is taken after `right`.
  public static func < (left: OperationPriority, right: OperationPriority) -> Bool {
    left.rawValue < right.rawValue
  }
}
