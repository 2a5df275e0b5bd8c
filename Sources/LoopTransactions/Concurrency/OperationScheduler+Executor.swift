// A scheduler as an executor of tasks. C1.
extension OperationScheduler: TaskExecutor {
  /// Hands a job of Swift's concurrency to the workers, at the priority of its task.
  ///
  /// Call from any thread; the concurrency runtime does, for tasks that prefer the
  /// scheduler. They are operations like others: under its limit, in its order.
  /// `TaskPriority.medium` is `OperationPriority.normal`, and so on, as
  /// `OperationPriority.init(_:)` says. A task whose priority is raised while it
  /// waits here keeps its place.
  ///
  /// ```swift
  /// let scheduler = OperationScheduler("pictures")
  /// await withTaskExecutorPreference(scheduler) { await decode(file) }
  /// ```
  ///
  /// - Complexity: O(1). Allocates nothing.
  public func enqueue(_ job: consuming ExecutorJob) {
    let priority = OperationPriority(TaskPriority(rawValue: job.priority.rawValue))
    let added = core.add(.job(UnownedJob(job), self), level: OperationBacklog.level(priority))
    guard added != nil else { trap("OperationScheduler.enqueue: the scheduler is closed") }
    core.taskWillSuspend()
  }
}
