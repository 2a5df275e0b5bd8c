/// An operation with a synchronous body.
@usableFromInline
final class SyncItem<Value>: OperationItem, @unchecked Sendable {
  // @unchecked: `body` is written before a worker can see the operation, and
  // consumed by the thread that runs or cancels it. See `ItemResult` for
  // `result`. `completion` is accessed on the loop only. Exclusivity is unchecked,
  // because accesses do not overlap.

  @usableFromInline typealias Completion = (AsyncTransaction.Outcome<Value>) -> Void
  @usableFromInline typealias Deliver = (inout ItemResult, inout Completion?, Bool) -> Void

  @exclusivity(unchecked)
  private var body: (@Sendable (AsyncTransaction.Operation) throws -> Value)?
  @exclusivity(unchecked) private var result = ItemResult()
  @exclusivity(unchecked) private var completion: Completion?
  private let deliver: Deliver

  /// Creates an operation of `core` that runs `body` on `scheduler`.
  ///
  /// - Parameter deliver: Calls `ItemResult.deliver(to:isCancelled:)`. A closure,
  ///   so that the compiler of the caller knows `Value`.
  @usableFromInline
  init(
    _ name: String,
    of core: AsyncTransactionCore,
    on scheduler: SchedulerCore,
    _ priority: OperationPriority,
    _ body: consuming @escaping @Sendable (AsyncTransaction.Operation) throws -> Value,
    completion: consuming Completion?,
    deliver: @escaping Deliver
  ) {
    self.body = body
    self.deliver = deliver
    super.init(name, of: core, on: scheduler, level: OperationBacklog.level(priority))
    // Stored after the call, for the same reason as in `OperationItem.init`.
    self.completion = completion
  }

  deinit { result.clear(Value.self) }

  override func run(_ operation: ScheduledOperation) {
    let body = body
    self.body = nil
    guard let body, !isCancelled else { return }
    result.store { try body(AsyncTransaction.Operation(item: self)) }
  }

  override func operationEnded(wasCancelled: Bool) {
    // `body` is still set if it did not run.
    body = nil
    core.operationEnded()
  }

  override func complete(isCancelled: Bool) { deliver(&result, &completion, isCancelled) }

  override func dropCompletion() { completion = nil }
}

/// The result of an operation, from its end to its completion.
///
/// The thread that runs the operation stores the result before the operation
/// ends. The loop reads it after that, ordered by the transaction's word.
// The type of the value is not part of the layout. The runtime would look up the
// type of a stored `Value?`, `Outcome<Value>` or `ItemResult<Value>` wherever it is
// used, which takes about 310 instructions each time.
@usableFromInline
struct ItemResult: ~Copyable {
  private var words: (UInt, UInt, UInt) = (0, 0, 0)
  // The memory of a value that does not fit into `words`.
  private var box: UnsafeMutableRawPointer?
  /// Whether the body returned a value. The owner takes or clears it. Without a
  /// value and an error, the outcome is `.cancelled`.
  @usableFromInline private(set) var hasValue = false
  @usableFromInline var error: (any Error)?

  /// Stores the outcome of `body`.
  @inline(__always)
  mutating func store<Value>(_ body: () throws -> Value) {
    do {
      let value = try body()
      let layout = MemoryLayout<Value>.self
      if layout.size > MemoryLayout.size(ofValue: words)
        || layout.alignment > MemoryLayout<UInt>.alignment
      {
        box = .allocate(byteCount: layout.size, alignment: layout.alignment)
      }
      withMemory { _ = $0.initializeMemory(as: Value.self, to: value) }
      hasValue = true
    } catch is CancellationError {
    } catch {
      self.error = error
    }
  }

  /// Stores `outcome`.
  mutating func store<Value>(_ outcome: AsyncTransaction.Outcome<Value>) {
    if case .cancelled = outcome { return }
    store { try outcome.get() }
  }

  /// Calls `completion` with the value, the error, or `.cancelled`, and releases
  /// it.
  @inlinable
  mutating func deliver<Value>(
    to completion: inout ((AsyncTransaction.Outcome<Value>) -> Void)?,
    isCancelled: Bool
  ) {
    // Not `take()`, which would look up the type of the function.
    let call = completion
    completion = nil
    guard let call, !isCancelled else {
      clear(Value.self)
      call?(.cancelled)
      return
    }
    if let error = error.take() {
      call(.failed(error))
    } else if hasValue {
      call(.value(takeValue()))
    } else {
      call(.cancelled)
    }
  }

  @usableFromInline
  mutating func takeValue<Value>() -> Value {
    defer { freeMemory() }
    return withMemory { $0.assumingMemoryBound(to: Value.self).move() }
  }

  /// Destroys the value and the error, if there are any.
  @usableFromInline
  mutating func clear<Value>(_ type: Value.Type) {
    error = nil
    guard hasValue else { return }
    withMemory { _ = $0.assumingMemoryBound(to: type).deinitialize(count: 1) }
    freeMemory()
  }

  @inline(__always)
  private mutating func withMemory<Result>(
    _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result {
    if let box { return body(box) }
    return withUnsafeMutablePointer(to: &words) { body(UnsafeMutableRawPointer($0)) }
  }

  private mutating func freeMemory() {
    hasValue = false
    box?.deallocate()
    box = nil
  }
}
