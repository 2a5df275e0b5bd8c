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

/// The operations that each thread is running, identified by their owners. A
/// thread may run one operation inside another.
///
/// Not retained: the thread that runs an operation keeps its owner alive.
enum CurrentOperation {
  // Lives on the stack of the thread that runs the operation.
  private struct Frame {
    let owner: Unmanaged<OperationOwner>
    let outer: UnsafeMutableRawPointer?
  }

  private static let slot = ThreadSlot()

  /// The owner of the innermost operation that the calling thread runs.
  static var owner: OperationOwner? { owner(of: slot.address) }

  /// The owners of all operations that the calling thread runs, innermost
  /// first. None of them can end before this thread continues.
  static var owners: [OperationOwner] {
    var owners: [OperationOwner] = []
    var address = slot.address
    while let frame = frame(at: address) {
      owners.append(frame.owner.takeUnretainedValue())
      address = frame.outer
    }
    return owners
  }

  /// Whether `transaction` waits for an operation that the calling thread runs.
  static func isAwaited(by transaction: AnyObject) -> Bool {
    owners.contains { $0.isAwaited(by: transaction) }
  }

  /// Calls `body` as part of an operation of `owner`. Calls can be nested.
  static func with(_ owner: OperationOwner, _ body: () -> Void) {
    let outer = slot.address
    var frame = Frame(owner: .passUnretained(owner), outer: outer)
    withUnsafeMutablePointer(to: &frame) { frame in
      slot.address = UnsafeMutableRawPointer(frame)
      body()
      slot.address = outer
    }
  }

  /// Calls `body` as part of the operations of `owners`, innermost first.
  static func with(_ owners: ArraySlice<OperationOwner>, _ body: () -> Void) {
    guard let outermost = owners.last else { return body() }
    with(outermost) { with(owners.dropLast(), body) }
  }

  private static func owner(of address: UnsafeMutableRawPointer?) -> OperationOwner? {
    frame(at: address)?.owner.takeUnretainedValue()
  }

  private static func frame(at address: UnsafeMutableRawPointer?) -> Frame? {
    address?.assumingMemoryBound(to: Frame.self).pointee
  }
}
