import Synchronization

/// A counter that other threads compare with a captured value. A different
/// value means that a newer operation has begun.
///
/// Use from any thread. The counter has 64 bits, so no value ever recurs.
///
/// ```swift
/// let request = searches.advance()
/// transaction.add { _ in
///   pages.filter { searches.value == request && $0.matches(text) }
/// } completion: { outcome in
///   show(outcome)
/// }
/// ```
///
/// Modelled on YYKit's `YYSentinel`.
public final class Sentinel: Sendable {
  // Acquire: pairs with the release in `advance()` and `raise(to:)`, so a
  // thread that reads a new value sees everything written before the value was
  // set. Acquire-release: also orders concurrent changes.
  private let counter = Atomic<UInt64>(0)

  /// Creates a counter at zero.
  public init() {}

  /// The current value.
  ///
  /// Call from any thread. Performs one atomic load.
  public var value: UInt64 { counter.load(ordering: .acquiring) }

  /// Increments the counter and returns the new value.
  ///
  /// Call from any thread.
  @discardableResult
  public func advance() -> UInt64 {
    counter.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

  /// A read-only view of a counter.
  ///
  /// Use from any thread.
  public struct Reader: Sendable {
    private let sentinel: Sentinel

    fileprivate init(_ sentinel: Sentinel) { self.sentinel = sentinel }

    /// The current value.
    ///
    /// Call from any thread. Performs one atomic load.
    public var value: UInt64 { sentinel.value }
  }

  /// A read-only view of the counter.
  ///
  /// Call from any thread.
  public var reader: Reader { Reader(self) }

  /// Raises the counter to `value`. Does nothing if it is already at least
  /// `value`.
  ///
  /// Call from any thread.
  public func raise(to value: UInt64) { _ = counter.max(value, ordering: .acquiringAndReleasing) }
}
