/// An operation with an asynchronous body. O13.
///
/// Cancelling it ends it, even if its body is suspended. A body that awaits the
/// loop could otherwise keep the loop from closing.
final class AsyncItem<Value: Sendable>: QueuedItem<Value>, @unchecked Sendable {
  // @unchecked: `body` and `task` are written before a worker can see the
  // operation, and `operation` before the task begins. `body` is consumed by the
  // task. The outcome is stored under the lock of `progress`, before the
  // operation ends.

  typealias Body = @Sendable (AsyncTransaction.Operation) async throws -> Value

  private let executor: OperationScheduler
  private var body: Body?
  private var task: BodyTask?
  /// Nil if the operation was cancelled before a worker claimed it.
  private var operation: ScheduledOperation?
  let progress: Locked<AsyncBodyProgress>

  /// Creates an operation of `core` that runs `body`.
  init(
    _ name: String,
    _ core: AsyncTransactionCore,
    on scheduler: OperationScheduler,
    _ priority: OperationPriority,
    _ body: consuming @escaping Body,
    _ completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    executor = scheduler
    self.body = body
    progress = Locked(AsyncBodyProgress(name: name))
    super.init(name, core, on: scheduler.core, priority, completion)
    endsLater = true
    // Made here, because the task has the task-local values of the caller.
    task = BodyTask(name, on: scheduler, level: level) { [self] in await perform() }
  }

  override var unendedTask: Int? {
    progress.withLock { $0.hasEnded } ? nil : task?.task.hashValue
  }

  override func run(_ operation: ScheduledOperation) {
    self.operation = operation
    task?.escalate(to: level)
    task?.begin(on: executor)
  }

  /// Runs the body, unless the operation was cancelled before, and ends the
  /// operation.
  private func perform() async {
    let outcome = isCancelled ? .cancelled : await runBody()
    body = nil
    if let operation { scheduler.end(operation.handle) }
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
      store(outcome)
      return true
    }
    if isFirst { core.operationEnded() }
  }

  override func dropBody() {
    guard !wasStarted else { return }
    cancel()
    progress.withLock { $0.hasEnded = true }
    // A task that never begins is never released.
    task?.begin(on: executor)
  }

  // The body did not run.
  override func operationEnded(_ end: OperationEnd) { task?.begin(on: executor) }
}

/// The progress of an asynchronous body. A transaction keeps it, and not the
/// operation, whose task takes more memory.
struct AsyncBodyProgress {
  let name: String
  var hasEnded = false
  var isCancelled = false
}
