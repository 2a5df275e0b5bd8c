// The mirrors that `dump`, a debugger and a failed expectation show. They can
// be created on any thread, and in a forked child process without taking a
// lock.

extension SchedulerCore: Unreflected {}
extension WorkerPermits: Unreflected {}
extension WorkerRetries: Unreflected {}
extension RetryTimer: Unreflected {}
extension Worker: Unreflected {}
extension SteppedWorkers: Unreflected {}
extension OperationHandle: Unreflected {}
extension OperationOwner: Unreflected {}

extension OperationScheduler: CustomReflectable {
  /// Shows the name, the worker limit and the metrics.
  public var customMirror: Mirror {
    guard !core.isForked else { return Mirror(self, showing: [("name", core.name)]) }
    return Mirror(
      self,
      showing: [("name", core.name), ("workerLimit", workerLimit), ("metrics", metrics)]
    )
  }
}

extension ScheduledOperation: CustomReflectable {
  /// Shows the scheduler's name and whether the operation was cancelled.
  public var customMirror: Mirror {
    Mirror(self, showing: [("scheduler", core.name), ("isCancelled", isCancelled)])
  }
}

extension Sentinel: CustomReflectable {
  /// Shows the current value. Call from any thread.
  public var customMirror: Mirror { Mirror(self, showing: [("value", value)]) }
}
