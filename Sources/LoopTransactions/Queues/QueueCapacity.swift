/// The number of elements that a queue may hold, and its policy when it is
/// full.
///
/// A full queue with weak membership first removes dead elements from its
/// front. A dead element behind a live element counts until the live element is
/// delivered. To see whether the first element is alive, the enqueueing thread
/// retains it briefly, so it may release that element's last reference.
///
/// A value type: use it on any thread.
public struct QueueCapacity: Hashable, Sendable {
  /// The policy of a full queue.
  public enum WhenFull: Hashable, Sendable {
    /// The new element is refused, and `enqueue` returns `.refused`.
    case refuse
    /// The oldest element is dropped, counted, and returned by `enqueue`.
    case dropOldest
    /// The new element is dropped, counted, and returned by `enqueue`.
    case dropNewest
  }

  /// The number of elements that may be queued.
  public let limit: Int

  /// What happens when the queue is full.
  public let whenFull: WhenFull

  /// Creates a capacity of `limit` elements.
  ///
  /// - Precondition: `limit` is positive.
  public init(_ limit: Int, whenFull: WhenFull) {
    require(limit > 0, "QueueCapacity: the limit must be positive, got \(limit)")
    self.limit = limit
    self.whenFull = whenFull
  }
}

/// The number of elements that a queue delivers in one tick.
///
/// A value type: use it on any thread.
public struct BatchSize: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number of elements.
  public let count: Int

  /// Creates a batch size of `count` elements per tick.
  ///
  /// - Precondition: `count` is positive.
  public init(_ count: Int) {
    require(count > 0, "BatchSize: must be positive, got \(count); use .unlimited for all")
    self.count = count
  }

  /// Creates a batch size of `value` elements per tick.
  ///
  /// - Precondition: `value` is positive.
  public init(integerLiteral value: Int) { self.init(value) }

  /// Delivers all queued elements, as far as the tick's budget allows.
  public static let unlimited = BatchSize(.max)
}
