/// Runs each job at once, on the thread that enqueues it.
///
/// A continuation resumes its task on the concurrency pool, or on the executor
/// that the task prefers. A task that awaits a stepped operation prefers this
/// one. So the step that ends the operation also takes the task back to the
/// caller's actor, and tasks return in the order of the steps. A `BodyTask` with
/// a synchronous body prefers it, too.
final class InlineExecutor: TaskExecutor {
  static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !BodyTask.takes(job) { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Calls `body`, which awaits an operation of a stepped scheduler.
  nonisolated(nonsending) static func awaiting<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withTaskExecutorPreference(shared) { try await body() }
  }
}
