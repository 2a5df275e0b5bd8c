/// How an operation ended, as its scheduler knows it.
enum OperationEnd: Hashable, Sendable {
  /// Its body has run, to its end.
  case performed
  /// It was cancelled before its body began.
  case cancelled
}

/// What is told how its operations end. A class to be derived from: one word in a
/// node, and no witness table.
package class OperationOwner: @unchecked Sendable {
  // @unchecked: derived classes say what guards their state.

  /// Runs an operation that has no body of its own, on the worker that took it.
  ///
  /// Called once, unless it was cancelled before.
  func run(_ operation: ScheduledOperation) {}

  /// An operation ended, and what its body held is released.
  ///
  /// Called once for each, on the worker that ran it, or the thread that
  /// cancelled it, without a lock.
  func operationEnded(_ end: OperationEnd) {}

  /// Whether `transaction` waits for this. An `AsyncTransactionCore`: the folder of
  /// transactions stands above this one.
  ///
  /// Call from any thread.
  func isAwaited(by transaction: AnyObject) -> Bool { false }

  /// What a diagnosis calls it.
  var title: String { "operation" }
}
