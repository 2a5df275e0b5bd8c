extension OperationScheduler {
  /// Runs `body` on a worker and returns its result.
  ///
  /// Call from any task. Cancelling the task cancels the operation. A queued
  /// operation then does not run. A running operation can poll `isCancelled`.
  /// If the priority of the task is raised meanwhile, a queued operation moves
  /// to that priority. The captures of `body` are released on the worker before
  /// the task resumes. `body` runs in a task that has the task-local values of
  /// the calling task and is cancelled with it. Tasks of one actor that await
  /// operations of a `SteppedScheduler` resume in the order in which their
  /// operations end.
  ///
  /// - Parameter priority: Defaults to the priority of the task.
  /// - Throws: The error of `body`, or a `CancellationError` if the operation
  ///   was cancelled before it ran.
  /// - Complexity: O(1), plus `body`.
  public nonisolated(nonsending) func run<Value: Sendable>(
    priority: OperationPriority? = nil,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value
  ) async throws -> Value {
    try await AwaitedOperation<Value>(self, body).result(priority)
  }

  /// Runs the asynchronous `body` on workers and returns its result.
  ///
  /// Call from any task. The operation is queued like any other. Once a worker
  /// has taken it, `body` runs in a task that prefers this scheduler. The
  /// worker runs it until it suspends, and is then free for other operations.
  /// Each continuation is queued again, at the priority of the operation, as
  /// `OperationPriority.init(_:)` maps it. A suspended body counts in
  /// `SchedulerMetrics.running`, but not towards the worker limit. Its task has
  /// the name and the task-local values of the calling task.
  ///
  /// Cancelling the calling task cancels the operation. A queued operation does
  /// not run; in a running one `isCancelled` and `Task.isCancelled` become true.
  /// This returns when `body` has returned, and its captures are released
  /// before that. If the priority of the calling task is raised meanwhile, the
  /// operation moves to that priority.
  ///
  /// - Parameter priority: Defaults to the priority of the task.
  /// - Throws: The error of `body`, or a `CancellationError` if the operation
  ///   was cancelled before it ran.
  /// - Complexity: O(1), plus `body`.
  public nonisolated(nonsending) func run<Value: Sendable>(
    priority: OperationPriority? = nil,
    _ body: consuming @escaping @Sendable (ScheduledOperation) async throws -> Value
  ) async throws -> Value {
    try await AwaitedOperation<Value>(self, async: body).result(priority)
  }
}

/// The name of the task that the calling thread runs, if it has one. SE-0469.
var currentTaskName: String? {
  guard #available(macOS 26.0, iOS 26.0, watchOS 26.0, tvOS 26.0, visionOS 26.0, *) else {
    return nil
  }
  return Task.name
}

/// Calls `body`. Calls `handler` with the task's new priority if it is raised
/// meanwhile. SE-0462.
func withPriorityEscalation<Value>(
  _ body: () async throws -> Value,
  onEscalation handler: @Sendable (TaskPriority) -> Void
) async throws -> Value {
  guard #available(macOS 26.0, iOS 26.0, watchOS 26.0, tvOS 26.0, visionOS 26.0, *) else {
    return try await body()
  }
  return try await withTaskPriorityEscalationHandler {
    try await body()
  } onPriorityEscalated: {
    handler($1)
  }
}

/// An operation whose result a task awaits.
final class AwaitedOperation<Value: Sendable>: OperationOwner, @unchecked Sendable {
  // @unchecked: `continuation` and `task` are written before a worker can see
  // the operation, `operation` before the task begins, and `outcome` before the
  // awaiting task resumes. `body` is consumed by `task`.

  typealias Body = @Sendable (ScheduledOperation) throws -> Value
  typealias AsyncBody = @Sendable (ScheduledOperation) async throws -> Value

  // Not one closure that calls another, which would copy the captures. O12.
  private enum AnyBody {
    case sync(Body)
    case async(AsyncBody)
  }

  private let scheduler: OperationScheduler
  private var body: AnyBody?
  private var outcome: Result<Value, any Error> = .failure(CancellationError())
  private var continuation: UnsafeContinuation<Void, any Error>?
  private var task: BodyTask?
  /// Nil if the operation was cancelled before a worker claimed it.
  private var operation: ScheduledOperation?
  /// Its level is the one at which the operation was queued, or to which it was
  /// raised.
  private let control: OperationControl
  /// The name of the task that awaits the operation.
  private let taskName = currentTaskName

  init(_ scheduler: OperationScheduler, _ body: consuming @escaping Body) {
    self.scheduler = scheduler
    self.body = .sync(body)
    control = OperationControl(on: scheduler.core, level: 0)
  }

  init(_ scheduler: OperationScheduler, async body: consuming @escaping AsyncBody) {
    self.scheduler = scheduler
    self.body = .async(body)
    control = OperationControl(on: scheduler.core, level: 0)
  }

  private var core: SchedulerCore { scheduler.core }

  /// Runs the operation and returns its result.
  nonisolated(nonsending) func result(_ priority: OperationPriority?) async throws -> Value {
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

  private func start(
    _ priority: OperationPriority,
    _ continuation: UnsafeContinuation<Void, any Error>
  ) {
    self.continuation = continuation
    control.raise(to: OperationBacklog.level(priority))
    let level = control.level
    task = BodyTask(taskName, on: scheduler, level: level) { [self] in await perform() }
    guard control.add(self) else { trap("OperationScheduler.run: the scheduler is closed") }
    if control.isCancelled { cancelIfAdded() }
    if control.level != level { moveIfAdded() }
  }

  /// Cancels the operation. Call from any thread.
  private func cancel() {
    control.cancel()
    cancelIfAdded()
  }

  private func cancelIfAdded() {
    guard control.isAdded else { return }
    task?.task.cancel()
    control.dequeue()
  }

  /// Moves the operation to `priority` if that is higher. Call from any thread.
  private func escalate(to priority: TaskPriority) {
    if control.raise(to: OperationBacklog.level(OperationPriority(priority))) { moveIfAdded() }
  }

  private func moveIfAdded() {
    guard control.isAdded else { return }
    control.moveToLevel()
    task?.escalate(to: control.level)
  }

  var endsLater: Bool { true }

  var title: String { taskName ?? "operation" }

  func run(_ operation: ScheduledOperation) {
    self.operation = operation
    task?.begin(on: scheduler)
  }

  func operationEnded(wasCancelled: Bool) { task?.begin(on: scheduler) }

  /// Runs the body, unless the operation was cancelled before. Then ends the
  /// operation and resumes the awaiting task.
  private func perform() async {
    // A task that was cancelled before its operation was added could not dequeue
    // the operation.
    if let operation, !control.isCancelled { outcome = await runBody(operation) }
    body = nil
    if let operation { core.end(operation.handle) }
    continuation.take()?.resume()
  }

  // A function of its own, so that the captures are released before the
  // operation ends. O12.
  private func runBody(_ operation: ScheduledOperation) async -> Result<Value, any Error> {
    do {
      switch body.take() {
      case .sync(let body): return .success(try body(operation))
      case .async(let body): return .success(try await body(operation))
      case nil: return .failure(CancellationError())
      }
    } catch {
      return .failure(error)
    }
  }
}
