internal import LoopTransactions

/// A number that many threads count.
package final class Tally: Sendable {
  private let count = Locked(0)

  package init() {}

  /// How far it has got.
  package var value: Int { count.withLock { $0 } }

  /// Counts one more; returns the new count.
  @discardableResult
  package func increment() -> Int { add(1) }

  /// Counts `amount` more; returns the new count.
  @discardableResult
  package func add(_ amount: Int) -> Int {
    count.withLock {
      $0 += amount
      return $0
    }
  }
}

/// A value that a test takes to another thread on its own responsibility.
package struct Smuggled<Value>: @unchecked Sendable {
  // @unchecked: tests break the rule on purpose with it, or wait for the thread.
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
