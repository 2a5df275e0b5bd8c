import Synchronization

/// An operation whose result a task awaits. A base class.
class AwaitedOperation<Value: Sendable>: OperationOwner, @unchecked Sendable {
  // @unchecked: `continuation` and `handle` are written before a worker can see
  // the operation, and `outcome` is written before the task resumes. Each
  // derived class documents how its own state is protected.

  final let core: SchedulerCore
  final var outcome: Result<Value, any Error> = .failure(CancellationError())
  private var continuation: UnsafeContinuation<Void, any Error>?
  private var handle: OperationHandle?
  // All sequentially consistent: of the starting thread and a thread that
  // cancels or moves the operation, at least one sees the other's store.
  private let isStarted = Atomic<Bool>(false)
  private let cancelled = Atomic<Bool>(false)
  private let highestLevel = Atomic<Int>(0)
  /// The name of the task that awaits the operation.
  final let taskName = currentTaskName

  init(_ core: SchedulerCore) { self.core = core }

  /// Runs the operation and returns its result.
  final nonisolated(nonsending) func result(_ priority: OperationPriority?) async throws -> Value {
    guard core.stepped != nil else { return try await performedResult(priority) }
    return try await InlineExecutor.awaiting { [self] in try await performedResult(priority) }
  }

  private func performedResult(_ priority: OperationPriority?) async throws -> Value {
    try await withPriorityEscalation {
      // Read here, so that no escalation is missed.
      let priority = priority ?? OperationPriority(Task.currentPriority)
      try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { start(priority, $0) }
      } onCancel: {
        cancel()
      }
    } onEscalation: {
      escalate(to: $0)
    }
    return try outcome.get()
  }

  final var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

  /// The level at which the operation was queued or to which it was raised.
  final var level: Int { highestLevel.load(ordering: .sequentiallyConsistent) }

  private func start(
    _ priority: OperationPriority,
    _ continuation: UnsafeContinuation<Void, any Error>
  ) {
    self.continuation = continuation
    let first = raise(to: OperationBacklog.level(priority))
    let added = core.add(.owner(self), level: first) { handle in
      self.handle = handle
      isStarted.store(true, ordering: .sequentiallyConsistent)
    }
    guard added else { trap("OperationScheduler.run: the scheduler is closed") }
    core.taskWillSuspend()
    guard let handle else { return }
    if isCancelled { _ = core.cancel(handle) }
    if level != first { _ = core.move(handle, to: level) }
  }

  /// Cancels the operation. Call from any thread.
  func cancel() {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    if isStarted.load(ordering: .sequentiallyConsistent), let handle { _ = core.cancel(handle) }
  }

  /// Moves the operation to `priority` if that is higher. Call from any thread.
  func escalate(to priority: TaskPriority) {
    let wanted = OperationBacklog.level(OperationPriority(priority))
    guard level < wanted else { return }
    let level = raise(to: wanted)
    guard isStarted.load(ordering: .sequentiallyConsistent), let handle else { return }
    _ = core.move(handle, to: level)
  }

  private func raise(to level: Int) -> Int {
    highestLevel.max(level, ordering: .sequentiallyConsistent).newValue
  }

  override final var title: String { taskName ?? "operation" }

  /// Resumes the task, after the captures of the body were released.
  final func resume() { continuation.take()?.resume() }
}

/// An awaited operation with a synchronous body.
final class AwaitedBody<Value: Sendable>: AwaitedOperation<Value>, @unchecked Sendable {
  // @unchecked: `body` is written before a worker can see the operation, and
  // consumed by the thread that runs or cancels it.

  private var body: (@Sendable (ScheduledOperation) throws -> Value)?

  init(
    _ core: SchedulerCore,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value
  ) {
    self.body = body
    super.init(core)
  }

  override func run(_ operation: ScheduledOperation) {
    // A task that was cancelled before its operation was added could not dequeue
    // the operation.
    guard !isCancelled, let body else { return }
    self.body = nil
    outcome = Result { try body(operation) }
  }

  override func operationEnded(_ end: OperationEnd) {
    // Still set if the body did not run.
    body = nil
    resume()
  }
}

/// An awaited operation with an asynchronous body.
final class AwaitedAsyncBody<Value: Sendable>: AwaitedOperation<Value>, @unchecked Sendable {
  // @unchecked: `body` is written before a worker can see the operation, and
  // consumed by the task, or by the thread that cancels the queued operation.

  private let scheduler: OperationScheduler
  private var body: (@Sendable (ScheduledOperation) async throws -> Value)?
  private let task = Locked<Task<Void, Never>?>(nil)

  init(
    _ scheduler: OperationScheduler,
    _ body: consuming @escaping @Sendable (ScheduledOperation) async throws -> Value
  ) {
    self.scheduler = scheduler
    self.body = body
    super.init(scheduler.core)
    endsLater = true
  }

  override func run(_ operation: ScheduledOperation) {
    if isCancelled {
      core.end(operation.handle)
      return operationEnded(.cancelled)
    }
    FirstJob.start(taskName, on: scheduler, level: level) { [self] in
      outcome = await runBody(operation)
      core.end(operation.handle)
      resume()
    } started: { task in
      self.task.withLock { $0 = task }
      if isCancelled { task.cancel() }
    }
  }

  // A function of its own, so that the captures are released before the
  // operation ends. O12.
  private func runBody(_ operation: ScheduledOperation) async -> Result<Value, any Error> {
    guard let body = body.take() else { return .failure(CancellationError()) }
    do { return .success(try await body(operation)) } catch { return .failure(error) }
  }

  override func cancel() {
    super.cancel()
    task.withLock { $0 }?.cancel()
  }

  override func escalate(to priority: TaskPriority) {
    super.escalate(to: priority)
    guard #available(macOS 26.0, iOS 26.0, watchOS 26.0, tvOS 26.0, visionOS 26.0, *) else {
      return
    }
    task.withLock { $0 }?.escalatePriority(to: priority)
  }

  override func operationEnded(_ end: OperationEnd) {
    // The body did not run.
    body = nil
    resume()
  }
}
