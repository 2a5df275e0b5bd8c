/// Runs each job at once, on the thread that enqueues it.
///
/// A continuation resumes its task on the concurrency pool, or on the executor
/// that the task prefers. A task that awaits a stepped operation prefers this
/// one. So the step that ends the operation also takes the task back to the
/// caller's actor, and tasks return in the order of the steps.
final class InlineExecutor: TaskExecutor {
  private static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }

  /// Calls `body`, which awaits an operation of a stepped scheduler.
  nonisolated(nonsending) static func awaiting<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withTaskExecutorPreference(shared) { try await body() }
  }
}
