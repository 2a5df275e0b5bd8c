/// How many elements a queue may hold, and what happens to the next one.
///
/// In a queue that holds its elements weakly, those in front that died make room
/// first; dead ones behind a live one count until it is handed over. Whether the
/// first lives is looked at then, so its last release may fall to the sender.
///
/// A value: make and read it on any thread.
public struct QueueCapacity: Hashable, Sendable {
  /// What a full queue does with an element.
  public enum WhenFull: Hashable, Sendable {
    /// The element is not taken, and its sender is told so.
    case refuse
    /// The element that waits longest is dropped, counted, and handed to the
    /// sender of the new one.
    case dropOldest
    /// The new element is dropped, counted, and handed back to its sender.
    case dropNewest
  }

  /// How many elements may wait.
  public let limit: Int

  /// What happens to one more.
  public let whenFull: WhenFull

  /// Room for `limit` elements.
  ///
  /// - Precondition: `limit` is over zero.
  public init(_ limit: Int, whenFull: WhenFull) {
    require(limit > 0, "QueueCapacity: the limit must be over zero, got \(limit)")
    self.limit = limit
    self.whenFull = whenFull
  }
}

/// How many elements a queue hands over in one tick.
///
/// A value: make and read it on any thread.
public struct BatchSize: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number of elements.
  public let count: Int

  /// `count` elements a tick.
  ///
  /// - Precondition: `count` is over zero.
  public init(_ count: Int) {
    require(count > 0, "BatchSize: must be over zero, got \(count); use .unlimited for all")
    self.count = count
  }

  /// `value` elements a tick.
  ///
  /// - Precondition: `value` is over zero.
  public init(integerLiteral value: Int) { self.init(value) }

  /// All that waits, as far as the tick's budget goes.
  public static let unlimited = BatchSize(.max)
}
