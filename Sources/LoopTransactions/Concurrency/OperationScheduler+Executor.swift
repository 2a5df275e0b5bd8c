// A scheduler as a task executor. C1.
extension OperationScheduler: TaskExecutor {
  /// Runs a job of Swift concurrency on a worker, at the priority of its task.
  ///
  /// Call from any thread. The concurrency runtime calls this for tasks that
  /// prefer the scheduler. Jobs count towards the worker limit, and are ordered
  /// like other operations. `OperationPriority.init(_:)` documents how
  /// priorities map. A job keeps its position if its task's priority is raised
  /// while it is queued.
  ///
  /// ```swift
  /// let scheduler = OperationScheduler("pictures")
  /// await withTaskExecutorPreference(scheduler) { await decode(file) }
  /// ```
  ///
  /// - Complexity: O(1). Allocates nothing.
  public func enqueue(_ job: consuming ExecutorJob) {
    let priority = OperationPriority(TaskPriority(rawValue: job.priority.rawValue))
    let job = UnownedJob(job)
    if BodyTask.claim(job) { return }
    let retained = retainedAddress()
    let added = core.add(.job(job, self), level: OperationBacklog.level(priority))
    guard added != nil else { trap("OperationScheduler.enqueue: the scheduler is closed") }
    Self.release(retained)
  }

  // The runtime does not retain the executor for the call, and a worker may run
  // the job, end the task and release the scheduler before the call returns.
  // Not inlined, because the optimiser may remove a retain and release of `self`
  // that it can pair.
  @inline(never)
  private func retainedAddress() -> UInt {
    UInt(retaining: self)
  }

  @inline(never)
  private static func release(_ address: UInt) {
    KeyedObject.at(address).release()
  }
}
