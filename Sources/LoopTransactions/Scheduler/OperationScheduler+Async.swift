import Synchronization

extension OperationScheduler {
  /// Runs `body` on a worker, and returns what it makes.
  ///
  /// Call from any task. Cancelling the task cancels the operation: one that waits
  /// does not run, one that runs is told. What `body` holds is released on the worker
  /// before the task goes on.
  ///
  /// - Parameter priority: By default that of the task.
  /// - Throws: What `body` throws; a `CancellationError` if it was cancelled before it
  ///   ran.
  /// - Complexity: O(1), and `body`.
  public func run<Value: Sendable>(
    priority: OperationPriority? = nil,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value
  ) async throws -> Value {
    let priority = priority ?? OperationPriority(Task.currentPriority)
    let awaited = AwaitedOperation<Value>(core, body)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        awaited.start(priority, continuation)
      }
    } onCancel: {
      awaited.cancel()
    }
    return try awaited.value()
  }
}

extension OperationPriority {
  /// The priority that stands for a task's.
  ///
  /// `TaskPriority.medium` is `normal`, `high` is `high`, `background` is `background`;
  /// others lie between in proportion.
  public init(_ priority: TaskPriority) {
    // 9, 17, 21, 25, 33: background, low, medium, high, and the highest there is.
    switch priority.rawValue {
    case ...9: self = .background
    case 25...: self = .high
    default: self.init((Int(priority.rawValue) - 21) * (priority.rawValue < 21 ? 5 : 16))
    }
  }
}

/// An operation that a task waits for.
private final class AwaitedOperation<Value: Sendable>: OperationOwner, @unchecked Sendable {
  // @unchecked: `continuation` and `handle` are written before a worker may know of
  // the operation, `result` before the task goes on.

  private let core: SchedulerCore
  private var body: (@Sendable (ScheduledOperation) throws -> Value)?
  private var continuation: UnsafeContinuation<Void, any Error>?
  private var handle: OperationHandle?
  private var result: Result<Value, any Error> = .failure(CancellationError())
  // Sequentially consistent, both: of the thread that starts and the one that
  // cancels, at least one sees what the other did.
  private let isStarted = Atomic<Bool>(false)
  private let isCancelled = Atomic<Bool>(false)

  init(
    _ core: SchedulerCore,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value
  ) {
    self.core = core
    self.body = body
  }

  func start(_ priority: OperationPriority, _ continuation: UnsafeContinuation<Void, any Error>) {
    self.continuation = continuation
    let added = core.add(.owner(self), level: OperationBacklog.level(priority)) { handle in
      self.handle = handle
      isStarted.store(true, ordering: .sequentiallyConsistent)
    }
    guard added else { trap("OperationScheduler.run: the scheduler is closed") }
    core.taskWillSuspend()
    if isCancelled.load(ordering: .sequentiallyConsistent), let handle { _ = core.cancel(handle) }
  }

  func cancel() {
    isCancelled.store(true, ordering: .sequentiallyConsistent)
    if isStarted.load(ordering: .sequentiallyConsistent), let handle { _ = core.cancel(handle) }
  }

  override func run(_ operation: ScheduledOperation) {
    guard let body else { return }
    self.body = nil
    result = Result { try body(operation) }
  }

  func value() throws -> Value { try result.get() }

  override func operationEnded(_ end: OperationEnd) {
    // One that did not run still holds it.
    body = nil
    continuation.take()?.resume()
  }
}
