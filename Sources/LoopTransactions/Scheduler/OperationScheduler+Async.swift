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
