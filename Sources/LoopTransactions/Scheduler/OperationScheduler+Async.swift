import Synchronization

extension OperationScheduler {
  /// Runs `body` on a worker and returns its result.
  ///
  /// Call from any task. Cancelling the task cancels the operation. A queued
  /// operation then does not run. A running operation can poll `isCancelled`.
  /// The captures of `body` are released on the worker before the task resumes.
  ///
  /// - Parameter priority: Defaults to the priority of the task.
  /// - Throws: The error of `body`, or a `CancellationError` if the operation
  ///   was cancelled before it ran.
  /// - Complexity: O(1), plus `body`.
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
  /// Creates the priority that corresponds to a task priority.
  ///
  /// `TaskPriority.medium` maps to `normal`, `high` to `high` and `background`
  /// to `background`. Values in between map proportionally.
  public init(_ priority: TaskPriority) {
    // The raw values 9, 17, 21, 25 and 33 are background, low, medium, high,
    // and the highest.
    switch priority.rawValue {
    case ...9: self = .background
    case 25...: self = .high
    default: self.init((Int(priority.rawValue) - 21) * (priority.rawValue < 21 ? 5 : 16))
    }
  }
}

/// An operation whose result a task awaits.
private final class AwaitedOperation<Value: Sendable>: OperationOwner, @unchecked Sendable {
  // @unchecked: `continuation` and `handle` are written before a worker can see
  // the operation, and `result` is written before the task resumes.

  private let core: SchedulerCore
  private var body: (@Sendable (ScheduledOperation) throws -> Value)?
  private var continuation: UnsafeContinuation<Void, any Error>?
  private var handle: OperationHandle?
  private var result: Result<Value, any Error> = .failure(CancellationError())
  // Both flags are sequentially consistent: of the starting and the cancelling
  // thread, at least one sees the other's store.
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
    // `body` is still set if it did not run.
    body = nil
    continuation.take()?.resume()
  }
}
