import Synchronization

/// A counter that other threads compare with what they captured: one that no longer
/// matches means that something newer began.
///
/// Use it from any thread. 64 bits, so that no value ever comes back.
///
/// After YYKit's YYSentinel, which was read without an ordering and could overflow.
public final class Sentinel: Sendable {
  // Acquire where it is read: who sees a new value sees what was written before it was
  // set. Acquire and release where it is changed: pairs with that, and with other changes.
  private let counter = Atomic<UInt64>(0)

  /// A counter at zero.
  public init() {}

  /// The present value.
  ///
  /// Read it on any thread; one atomic read.
  public var value: UInt64 { counter.load(ordering: .acquiring) }

  /// Counts one on, and returns the new value.
  ///
  /// Call from any thread.
  @discardableResult
  public func advance() -> UInt64 {
    counter.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

  /// Its value, for who must not count on.
  ///
  /// Use it on any thread.
  public struct Reader: Sendable {
    private let sentinel: Sentinel

    fileprivate init(_ sentinel: Sentinel) { self.sentinel = sentinel }

    /// The present value.
    ///
    /// Read it on any thread; one atomic read.
    public var value: UInt64 { sentinel.value }
  }

  /// What reads it.
  ///
  /// Call from any thread.
  public var reader: Reader { Reader(self) }

  /// Counts on to `value`, unless it is there or past it.
  func raise(to value: UInt64) { _ = counter.max(value, ordering: .acquiringAndReleasing) }
}
