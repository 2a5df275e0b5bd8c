/// An operation with a synchronous body.
final class ScheduledItem<Value>: QueuedItem<Value>, @unchecked Sendable {
  // @unchecked: `body` is written before a worker can see the operation, and
  // consumed by the thread that runs or cancels it. Its exclusivity is unchecked,
  // because these do not overlap.

  @exclusivity(unchecked)
  private var body: (@Sendable (AsyncTransaction.Operation) throws -> Value)?

  /// Creates an operation of `core` that runs `body`.
  init(
    _ name: String,
    _ core: AsyncTransactionCore,
    on scheduler: SchedulerCore,
    _ priority: OperationPriority,
    _ body: consuming @escaping @Sendable (AsyncTransaction.Operation) throws -> Value,
    _ completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    self.body = body
    super.init(name, core, on: scheduler, priority, completion)
  }

  override func run(_ operation: ScheduledOperation) {
    let body = body
    self.body = nil
    guard let body, !isCancelled else { return }
    store { try body(AsyncTransaction.Operation(item: self)) }
  }

  override func operationEnded(_ end: OperationEnd) {
    // `body` is still set if it did not run.
    body = nil
    core.operationEnded()
  }
}
