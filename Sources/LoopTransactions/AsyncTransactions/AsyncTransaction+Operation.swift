extension AsyncTransaction {
  /// The result of an operation.
  public enum Outcome<Value> {
    /// The body returned this value.
    case value(Value)
    /// The operation or its transaction was cancelled.
    case cancelled
    /// The body threw this error.
    case failed(any Error)
  }

  /// A handle to an operation of a transaction.
  ///
  /// Use it from any thread.
  public struct Operation: Sendable {
    @usableFromInline let item: OperationItem

    @inlinable
    init(item: OperationItem) { self.item = item }

    /// The name used in error messages.
    public var name: String { item.name }

    /// Whether the operation or its transaction was cancelled.
    ///
    /// Call from any thread. One atomic read.
    public var isCancelled: Bool { item.isCancelled }

    /// Cancels this operation. Other operations of its transaction are not
    /// affected.
    ///
    /// Call from any thread. Works as `ScheduledOperation.cancel()`. The outcome
    /// is `.cancelled`, unless the completion was already called.
    ///
    /// Operations of a `SingleFlight` share one body. The body still runs
    /// unless all of these operations are cancelled.
    ///
    /// - Returns: `true` if the operation had not begun, so its body does not
    ///   run. `false` if it had begun, had ended or was already cancelled.
    /// - Complexity: O(1).
    @discardableResult
    public func cancel() -> Bool { item.cancel() }

    /// Moves the operation behind the queued operations of `priority`, if it
    /// has not begun.
    ///
    /// Call from any thread.
    ///
    /// - Returns: `true` if the operation had not begun.
    /// - Complexity: O(1).
    @discardableResult
    public func setPriority(_ priority: OperationPriority) -> Bool {
      item.move(to: OperationBacklog.level(priority))
    }
  }
}

extension AsyncTransaction.Outcome {
  /// The value, or nil if the operation was cancelled or failed.
  public var value: Value? {
    if case .value(let value) = self { return value }
    return nil
  }

  /// Returns the value.
  ///
  /// - Throws: The error of the operation, or a `CancellationError`.
  public func get() throws -> Value {
    switch self {
    case .value(let value): return value
    case .cancelled: throw CancellationError()
    case .failed(let error): throw error
    }
  }
}

extension AsyncTransaction.Outcome: Sendable where Value: Sendable {}

extension AsyncTransaction.Outcome {
  /// Converts the result of `body` to an outcome.
  init(_ body: () throws -> Value) {
    do {
      self = .value(try body())
    } catch is CancellationError {
      self = .cancelled
    } catch {
      self = .failed(error)
    }
  }
}

/// One operation of an async transaction. The base class of the kinds, which run
/// the operation and hold its result.
@usableFromInline
class OperationItem: OperationOwner, @unchecked Sendable {
  // @unchecked: the properties of this class are constant, atomic, or loop
  // only. Each derived class documents how its own state is protected.

  final let name: String
  final let core: AsyncTransactionCore
  final let control: OperationControl
  /// The item added after this one. Loop only.
  @exclusivity(unchecked) final var next: OperationItem?

  init(
    _ name: String,
    of core: AsyncTransactionCore,
    on scheduler: SchedulerCore,
    level: Int
  ) {
    // Called before the stores: the compiler copies arguments that were stored
    // before a call.
    control = OperationControl(on: scheduler, level: level)
    self.name = name
    self.core = core
  }

  /// Whether the operation was cancelled. Call from any thread.
  final var isCancelled: Bool { control.isCancelled }

  final var title: String { name }

  final func isAwaited(by transaction: ObjectIdentifier) -> Bool { core.id == transaction }

  /// Cancels the operation. Returns true if this is the first cancel and the
  /// operation had not begun. Call from any thread.
  ///
  /// May release the body's captures before the operation ends. Deinitializers
  /// that this runs are part of the operation.
  @discardableResult
  final func cancel() -> Bool {
    let isFirst = control.cancel()
    let wasQueued = CurrentOperation.with(self) { cancelQueued() }
    return isFirst && wasQueued
  }

  /// Starts the operation. Loop only, once.
  func start() {
    let level = control.level
    guard control.add(self) else { trap("AsyncTransaction.add: the scheduler is closed") }
    if isCancelled { cancel() }
    if control.level != level { control.moveToLevel() }
  }

  /// Dequeues the operation if it has not begun, and returns whether it does not
  /// begin. Call from any thread.
  func cancelQueued() -> Bool { control.dequeue() }

  /// Moves the operation behind the queued operations of `level`. Returns false
  /// if it has begun. Call from any thread.
  func move(to level: Int) -> Bool { control.move(to: level) }

  /// Runs the operation on the calling thread if it has not begun. Loop only.
  func runIfQueued() { control.runIfQueued() }

  /// Whether the operation runs on a worker that is a thread, and not stepped.
  var isThreaded: Bool { control.scheduler.stepped == nil }

  /// Identifies the task of an asynchronous body that has begun and not ended.
  /// Call from any thread.
  var unendedTask: Int? { nil }

  var endsLater: Bool { false }

  func run(_ operation: ScheduledOperation) {}

  func operationEnded(wasCancelled: Bool) { core.operationEnded() }

  /// Calls the completion. Loop only, once, after the operation ended.
  func complete(isCancelled: Bool) {}

  /// Releases the completion without calling it, because a worker may hold the
  /// last reference to the item. Loop only.
  func dropCompletion() {}

  /// Releases an asynchronous body without running it, unless the operation was
  /// started. Loop only.
  func dropBody() {}
}

/// The operations of an async transaction in the order they were added, linked
/// through the items. Loop thread only.
struct OperationItems: ~Copyable {
  private var first: OperationItem?
  private var last: Unmanaged<OperationItem>?

  var isEmpty: Bool { first == nil }

  /// Appends `item`.
  mutating func append(_ item: OperationItem) {
    if let last {
      last._withUnsafeGuaranteedRef { $0.next = item }
    } else {
      first = item
    }
    last = .passUnretained(item)
  }

  /// Removes the first item and returns it.
  mutating func removeFirst() -> OperationItem? {
    guard let item = first else { return nil }
    first = item.next.take()
    if first == nil { last = nil }
    return item
  }

  /// Calls `body` with each item. `body` may append items.
  borrowing func forEach(_ body: (OperationItem) -> Void) {
    guard var item = first else { return }
    body(item)
    while let next = item.next {
      item = next
      body(item)
    }
  }
}
