import Synchronization

/// Runs operations that have no closure of their own, and is notified when they
/// end.
package protocol OperationOwner: AnyObject, Sendable, Unreflected {
  /// Whether the operation goes on after `run(_:)` has returned. The owner then
  /// calls `SchedulerCore.end(_:)` when it has ended, and `operationEnded` is
  /// called only if it was cancelled before it began.
  var endsLater: Bool { get }

  /// Runs the operation, on the worker that claimed it.
  ///
  /// Called once, unless the operation was cancelled before.
  func run(_ operation: ScheduledOperation)

  /// Called when an operation has ended and the captures of its body are
  /// released.
  ///
  /// Called once per operation, without a lock: on the worker that ran it, or
  /// on the thread that cancelled it.
  ///
  /// - Parameter wasCancelled: Whether it was cancelled before its body began.
  func operationEnded(wasCancelled: Bool)

  /// Whether a transaction waits for this operation. Call from any thread.
  ///
  /// - Parameter transaction: Identifies the core of the transaction.
  func isAwaited(by transaction: ObjectIdentifier) -> Bool

  /// The name used in error messages.
  var title: String { get }
}

extension OperationOwner {
  package var endsLater: Bool { false }
  package func operationEnded(wasCancelled: Bool) {}
  package func isAwaited(by transaction: ObjectIdentifier) -> Bool { false }
  package var title: String { "operation" }
}

/// Cancels and moves the operation of one owner, also before it is added to its
/// scheduler, and while another thread adds it.
///
/// Any thread may use it.
struct OperationControl: ~Copyable, @unchecked Sendable {
  // @unchecked: see `OperationHandle` for `node`.

  let scheduler: SchedulerCore
  // All sequentially consistent, except for `number`. One thread adds the
  // operation while another cancels or moves it, and at least one of the two
  // must see the other's store.
  private let cancelled = Atomic<Bool>(false)
  private let wantedLevel: Atomic<Int>
  // Nil until the operation was added.
  private let node = Atomic<OperationNode.Pointer?>(nil)
  // Written before `node`.
  private let number = Atomic<UInt64>(0)

  init(on scheduler: SchedulerCore, level: Int) {
    wantedLevel = Atomic(level)
    self.scheduler = scheduler
  }

  /// Whether the operation was cancelled. Compiles to a plain load on most CPUs.
  var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

  /// The level at which the operation is queued, will be, or was when it began.
  var level: Int { wantedLevel.load(ordering: .sequentiallyConsistent) }

  /// Whether the operation was added. If not, the thread that adds it will see
  /// an earlier change of `isCancelled` or `level`.
  var isAdded: Bool { handle != nil }

  private var handle: OperationHandle? {
    guard let node = node.load(ordering: .sequentiallyConsistent) else { return nil }
    return OperationHandle(node: node, number: number.load(ordering: .relaxed))
  }

  /// Adds the operation of `owner`. Call once. The caller then repeats a cancel
  /// or a move that came before.
  ///
  /// - Returns: False if the scheduler is closed.
  func add(_ owner: any OperationOwner) -> Bool {
    // Published under the scheduler's lock, so the thread that runs the operation
    // sees the handle.
    let handle = scheduler.add(.owner(owner), level: level) { handle in
      number.store(handle.number, ordering: .relaxed)
      node.store(handle.node, ordering: .sequentiallyConsistent)
    }
    return handle != nil
  }

  /// Sets `isCancelled`. Returns whether this is the first call.
  @discardableResult
  func cancel() -> Bool { !cancelled.exchange(true, ordering: .sequentiallyConsistent) }

  /// Dequeues the operation if it has not begun, and returns whether it does not
  /// begin.
  @discardableResult
  func dequeue() -> Bool {
    guard let handle else { return true }
    return scheduler.cancel(handle)
  }

  /// Sets `level`, and moves the operation. Returns false if it has begun.
  func move(to level: Int) -> Bool {
    wantedLevel.store(level, ordering: .sequentiallyConsistent)
    return moveToLevel()
  }

  /// Sets `level` if that is higher, and returns whether it was. Does not move the
  /// operation.
  @discardableResult
  func raise(to level: Int) -> Bool {
    wantedLevel.max(level, ordering: .sequentiallyConsistent).oldValue < level
  }

  /// Moves the operation behind the queued operations of `level`. Returns false
  /// if it has begun.
  @discardableResult
  func moveToLevel() -> Bool {
    guard let handle else { return true }
    return scheduler.move(handle, to: level)
  }

  /// Runs the operation on the calling thread if it is queued.
  func runIfQueued() {
    if let handle { _ = scheduler.runIfQueued(handle) }
  }
}

/// The operations that each thread is running, identified by their owners. A
/// thread may run one operation inside another.
///
/// Not retained: the thread that runs an operation keeps its owner alive.
enum CurrentOperation {
  // Lives on the stack of the thread that runs the operation.
  private struct Frame: Unreflected {
    unowned(unsafe) let owner: any OperationOwner
    let outer: UnsafeMutableRawPointer?
  }

  private static let slot = ThreadSlot()

  /// The owner of the innermost operation that the calling thread runs.
  static var owner: (any OperationOwner)? { frame(at: slot.address)?.owner }

  /// The owners of all operations that the calling thread runs, innermost
  /// first. None of them can end before this thread continues.
  static var owners: [any OperationOwner] {
    var owners: [any OperationOwner] = []
    var address = slot.address
    while let frame = frame(at: address) {
      owners.append(frame.owner)
      address = frame.outer
    }
    return owners
  }

  /// Whether `transaction` waits for an operation that the calling thread runs.
  static func isAwaited(by transaction: ObjectIdentifier) -> Bool {
    owners.contains { $0.isAwaited(by: transaction) }
  }

  /// Calls `body` as part of an operation of `owner`. Calls can be nested.
  static func with<Result>(_ owner: any OperationOwner, _ body: () -> Result) -> Result {
    let outer = slot.address
    var frame = Frame(owner: owner, outer: outer)
    return withUnsafeMutablePointer(to: &frame) { frame in
      slot.address = UnsafeMutableRawPointer(frame)
      defer { slot.address = outer }
      return body()
    }
  }

  /// Calls `body` as part of the operations of `owners`, innermost first.
  static func with(_ owners: ArraySlice<any OperationOwner>, _ body: () -> Void) {
    guard let outermost = owners.last else { return body() }
    with(outermost) { with(owners.dropLast(), body) }
  }

  private static func frame(at address: UnsafeMutableRawPointer?) -> Frame? {
    address?.assumingMemoryBound(to: Frame.self).pointee
  }
}
