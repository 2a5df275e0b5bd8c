/// How an operation ended, as the scheduler sees it.
enum OperationEnd: Hashable, Sendable {
  /// Its body ran and returned.
  case performed
  /// It was cancelled before its body began.
  case cancelled
}

/// Runs operations that have no closure of their own, and is notified when they
/// end.
///
/// A base class, not a protocol: a reference takes one word in a node, without
/// a witness table.
package class OperationOwner: @unchecked Sendable {
  // @unchecked: each derived class documents how its state is protected.

  /// Whether the operation goes on after `run(_:)` has returned. The owner then
  /// calls `SchedulerCore.end(_:)` when it has ended, and `operationEnded(_:)`
  /// is called only if it was cancelled before it began. Set by `init`.
  final var endsLater = false

  /// Runs the operation, on the worker that claimed it.
  ///
  /// Called once, unless the operation was cancelled before.
  func run(_ operation: ScheduledOperation) {}

  /// Called when an operation has ended and the captures of its body are
  /// released.
  ///
  /// Called once per operation, without a lock: on the worker that ran it, or
  /// on the thread that cancelled it.
  func operationEnded(_ end: OperationEnd) {}

  /// Whether `transaction` waits for this operation.
  ///
  /// Call from any thread. `transaction` is an `AsyncTransactionCore`, which
  /// this folder cannot name.
  func isAwaited(by transaction: AnyObject) -> Bool { false }

  /// The name used in error messages.
  var title: String { "operation" }
}
