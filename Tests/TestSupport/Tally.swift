internal import LoopTransactions

/// A counter that may be used on any thread.
package final class Tally: Sendable {
  private let count = Locked(0)

  package init() {}

  /// The current count.
  package var value: Int { count.withLock { $0 } }

  /// Adds one and returns the new count.
  @discardableResult
  package func increment() -> Int { add(1) }

  /// Adds `amount` and returns the new count.
  @discardableResult
  package func add(_ amount: Int) -> Int {
    count.withLock {
      $0 += amount
      return $0
    }
  }
}

/// A value that a test moves to another thread at its own risk.
package struct Smuggled<Value>: @unchecked Sendable {
  // @unchecked: tests use it to break the rule on purpose, or wait for the
  // thread.
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
