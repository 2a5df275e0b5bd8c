// What `dump`, a debugger and a failed expectation show. Each mirror may be asked for on
// any thread, and in a child process, where no lock is taken.

extension SchedulerCore: Unreflected {}
extension WorkerPermits: Unreflected {}
extension WorkerRetries: Unreflected {}
extension RetryTimer: Unreflected {}
extension Worker: Unreflected {}
extension OperationHandle: Unreflected {}
extension OperationOwner: Unreflected {}

extension OperationScheduler: CustomReflectable {
  /// Its name, its limit, and what it has done so far.
  public var customMirror: Mirror {
    guard !core.isForked else { return Mirror(self, showing: [("name", core.name)]) }
    return Mirror(
      self,
      showing: [("name", core.name), ("workerLimit", workerLimit), ("metrics", metrics)]
    )
  }
}

extension ScheduledOperation: CustomReflectable {
  /// Its scheduler's name, and whether it was cancelled.
  public var customMirror: Mirror {
    Mirror(self, showing: [("scheduler", core.name), ("isCancelled", isCancelled)])
  }
}
