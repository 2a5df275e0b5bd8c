/// An operation with an asynchronous body. O13.
///
/// Cancelling it ends it, even if its body is suspended. A body that awaits the
/// loop could otherwise keep the loop from closing.
final class AsyncItem<Value: Sendable>: OperationItem, @unchecked Sendable {
  // @unchecked: `body` and `task` are written before a worker can see the
  // operation, and `operation` before the task begins. `body` is consumed by the
  // task. The result is stored under the lock of `progress`, before the
  // operation ends. `completion` is accessed on the loop only.

  typealias Body = @Sendable (AsyncTransaction.Operation) async throws -> Value

  private let executor: OperationScheduler
  private var body: Body?
  private var result = ItemResult()
  private var completion: ((AsyncTransaction.Outcome<Value>) -> Void)?
  private var task: BodyTask?
  /// Nil if the operation was cancelled before a worker claimed it.
  private var operation: ScheduledOperation?
  let progress: Locked<AsyncBodyProgress>

  /// Creates an operation of `transaction` that runs `body`.
  init(
    _ name: String,
    of transaction: AsyncTransaction,
    _ priority: OperationPriority,
    _ body: consuming @escaping Body,
    completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    executor = transaction.scheduler
    self.body = body
    self.completion = completion
    progress = Locked(AsyncBodyProgress(name: name))
    let level = OperationBacklog.level(priority)
    super.init(name, of: transaction.core, on: executor.core, level: level)
    // Made here, because the task has the task-local values of the caller.
    task = BodyTask(name, on: executor, level: level) { [self] in await perform() }
  }

  deinit { result.clear(Value.self) }

  override var endsLater: Bool { true }

  override var unendedTask: Int? {
    progress.withLock { $0.hasEnded } ? nil : task?.task.hashValue
  }

  override func run(_ operation: ScheduledOperation) {
    self.operation = operation
    task?.escalate(to: control.level)
    task?.begin(on: executor)
  }

  /// Runs the body, unless the operation was cancelled before, and ends the
  /// operation.
  private func perform() async {
    let outcome = isCancelled ? .cancelled : await runBody()
    body = nil
    if let operation { control.scheduler.end(operation.handle) }
    end(outcome)
  }

  // A function of its own, so that the captures are released before the
  // operation ends. O12.
  private func runBody() async -> AsyncTransaction.Outcome<Value> {
    guard let body = body.take() else { return .cancelled }
    do {
      return .value(try await body(AsyncTransaction.Operation(item: self)))
    } catch is CancellationError {
      return .cancelled
    } catch {
      return .failed(error)
    }
  }

  override func cancelQueued() -> Bool {
    progress.withLock { $0.isCancelled = true }
    if super.cancelQueued() { return true }
    task?.task.cancel()
    end(.cancelled)
    return false
  }

  /// Ends the operation with `outcome`, unless it has ended.
  private func end(_ outcome: AsyncTransaction.Outcome<Value>) {
    let isFirst = progress.withLock { progress in
      if progress.hasEnded { return false }
      progress.hasEnded = true
      result.store(outcome)
      return true
    }
    if isFirst { core.operationEnded() }
  }

  override func dropBody() {
    guard !control.isAdded else { return }
    cancel()
    progress.withLock { $0.hasEnded = true }
    // A task that never begins is never released.
    task?.begin(on: executor)
  }

  // The body did not run.
  override func operationEnded(wasCancelled: Bool) { task?.begin(on: executor) }

  override func complete(isCancelled: Bool) {
    result.deliver(to: &completion, isCancelled: isCancelled)
  }

  override func dropCompletion() { completion = nil }
}

/// The progress of an asynchronous body. A transaction keeps it, and not the
/// operation, whose task takes more memory.
struct AsyncBodyProgress {
  let name: String
  var hasEnded = false
  var isCancelled = false
}
