/// An operation with an asynchronous body. O13.
///
/// Cancelling it ends it, even if its body is suspended. A body that awaits the
/// loop could otherwise keep the loop from closing.
final class AsyncItem<Value: Sendable>: QueuedItem<Value>, @unchecked Sendable {
  // @unchecked: `body` is written before a worker can see the operation, and
  // consumed by the task, or by the thread that cancels the queued operation.
  // The outcome is stored under the lock of `progress`, before the operation
  // ends.

  typealias Body = @Sendable (AsyncTransaction.Operation) async throws -> Value

  private struct Progress {
    var task: Task<Void, Never>?
    var hasEnded = false
  }

  private let executor: OperationScheduler
  private var body: Body?
  private let progress = Locked(Progress())

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
    super.init(name, core, on: scheduler.core, priority, completion)
    endsLater = true
  }

  override var unendedTask: Int? {
    progress.withLock { $0.hasEnded ? nil : $0.task?.hashValue }
  }

  override func run(_ operation: ScheduledOperation) {
    if isCancelled {
      body = nil
      scheduler.end(operation.handle)
      return end(.cancelled)
    }
    FirstJob.start(name, on: executor, level: level) { [self] in
      let outcome = await runBody()
      scheduler.end(operation.handle)
      end(outcome)
    } started: { task in
      progress.withLock { $0.task = task }
      if isCancelled { task.cancel() }
    }
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
    if super.cancelQueued() { return true }
    progress.withLock { $0.task }?.cancel()
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

  override func operationEnded(_ end: OperationEnd) {
    // The body did not run.
    body = nil
    self.end(.cancelled)
  }
}
