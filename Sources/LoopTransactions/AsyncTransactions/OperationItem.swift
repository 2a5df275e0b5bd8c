import Synchronization

/// The base class for one operation of an async transaction.
///
/// Derived classes run the operation and hold its outcome.
class OperationItem: OperationOwner, @unchecked Sendable {
  // @unchecked: the properties of this class are constant, atomic, or loop
  // only. Each derived class documents how its own state is protected.

  let name: String
  let core: AsyncTransactionCore
  /// The item added after this one. Loop only.
  @exclusivity(unchecked) final var next: OperationItem?
  private let cancelled = Atomic<Bool>(false)

  init(_ name: String, _ core: AsyncTransactionCore) {
    self.name = name
    self.core = core
  }

  /// Whether the operation was cancelled. Call from any thread.
  final var isCancelled: Bool {
    // Sequentially consistent: see `ScheduledItem`. Compiles to a plain load on
    // most CPUs.
    cancelled.load(ordering: .sequentiallyConsistent)
  }

  /// Starts the operation. Loop only, once.
  func start() {}

  /// Begins an arrow from the running code to the completion, if a trace runs.
  /// For an operation whose result comes from another operation.
  final func recordResult() { TraceThread.recordArrow(.arrowBegin, .operation, to: self) }

  /// Cancels the operation. Returns true if this is the first cancel and the
  /// operation had not begun. Call from any thread.
  ///
  /// May release the body's captures before the operation ends. Deinitializers
  /// that this runs are part of the operation.
  @discardableResult
  final func cancel() -> Bool {
    let isFirst = !cancelled.exchange(true, ordering: .sequentiallyConsistent)
    var wasQueued = false
    CurrentOperation.with(self) { wasQueued = cancelQueued() }
    return isFirst && wasQueued
  }

  /// Dequeues the operation if it has not begun, and returns whether it was
  /// dequeued. Call from any thread.
  func cancelQueued() -> Bool { false }

  /// Moves the operation behind the queued operations of `level`. Returns false
  /// if it has begun. Call from any thread.
  func move(to level: Int) -> Bool { false }

  /// Identifies the task of an asynchronous body that has begun and not ended.
  /// Call from any thread.
  var unendedTask: Int? { nil }

  /// Whether the operation runs on a worker that is a thread, and not stepped.
  var isThreaded: Bool { false }

  /// Runs the operation on the calling thread if it has not begun. Loop only.
  func runIfQueued() {}

  /// Calls the completion. Loop only, once, after the operation ended.
  func complete(isCancelled: Bool, _ types: ItemTypes) {}

  /// Releases the completion without calling it. Loop only.
  func dropCompletion() {}

  /// Releases an asynchronous body without running it, unless the operation was
  /// started. Loop only.
  func dropBody() {}

  override final func isAwaited(by transaction: AnyObject) -> Bool {
    core === transaction
  }

  override final var title: String { name }
}

/// An operation that returns a `Value`.
///
/// `Value` is `Sendable`, as `AsyncTransaction.add` and `FlightItem` require. It is
/// not required here, because `Outcome` conforms to `ItemOutcome` for any `Value`.
class ValueItem<Value>: OperationItem, @unchecked Sendable {
  // @unchecked: `value` and `error` are written by the thread that runs the
  // operation, before it ends. They are read on the loop after that, ordered by
  // the transaction's word. `completion` is accessed on the loop only. For the
  // same reason their exclusivity is unchecked.

  /// The value that the body returned. Without a value and an error, the outcome
  /// is `.cancelled`.
  @exclusivity(unchecked) fileprivate final var value = ValueStorage()
  @exclusivity(unchecked) fileprivate final var error: (any Error)?
  @exclusivity(unchecked) fileprivate final var completion:
    ((AsyncTransaction.Outcome<Value>) -> Void)?

  init(
    _ name: String,
    _ core: AsyncTransactionCore,
    _ completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    self.completion = completion
    super.init(name, core)
  }

  deinit { value.clear(Value.self) }

  override final func complete(isCancelled: Bool, _ types: ItemTypes) {
    types.outcome(of: Value.self).complete(self, isCancelled: isCancelled)
  }

  fileprivate final func dropOutcome() {
    value.clear(Value.self)
    error = nil
  }

  // Released here on the loop, because a worker may hold the last reference to
  // the item.
  override final func dropCompletion() { completion = nil }

  /// Stores the outcome of `body`.
  @inline(__always)
  final func store(_ body: () throws -> Value) {
    do {
      try value.fill(body)
    } catch is CancellationError {
    } catch {
      self.error = error
    }
  }

  /// Stores `outcome`.
  final func store(_ outcome: AsyncTransaction.Outcome<Value>) {
    switch outcome {
    case .value(let value): store { value }
    case .cancelled: break
    case .failed(let error): self.error = error
    }
  }

  /// Converts the result of `body` to an outcome.
  static func outcome(
    _ body: () throws -> Value
  ) -> AsyncTransaction.Outcome<Value> {
    do {
      return .value(try body())
    } catch is CancellationError {
      return .cancelled
    } catch {
      return .failed(error)
    }
  }
}

extension AsyncTransaction.Outcome: ItemOutcome {
  @inline(__always)
  static func complete(_ item: OperationItem, isCancelled: Bool) {
    // Not a checked cast, which would look up the class.
    let item = unsafeDowncast(item, to: ValueItem<Value>.self)
    // Not `take()`, which would look up the type of the function.
    let completion = item.completion
    item.completion = nil
    guard let completion else { return item.dropOutcome() }
    guard !isCancelled, !item.isCancelled else {
      item.dropOutcome()
      return completion(.cancelled)
    }
    if item.value.isFull { return completion(.value(item.value.take(Value.self))) }
    guard let error = item.error else { return completion(.cancelled) }
    item.error = nil
    completion(.failed(error))
  }
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
    var each = first
    while let item = each {
      body(item)
      each = item.next
    }
  }
}
