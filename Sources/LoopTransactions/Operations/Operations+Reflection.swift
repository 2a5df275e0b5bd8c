// What `dump`, a debugger and a failed expectation show. Each mirror may be asked for on
// any thread, and in a child process, where no lock is taken.

extension SchedulerCore: Unreflected {}
extension WorkerPermits: Unreflected {}
extension WorkerRetries: Unreflected {}
extension WorkerSeat: Unreflected {}
extension OperationHandle: Unreflected {}
extension OperationOwner: Unreflected {}
extension FlightFollower: Unreflected {}
extension FlightTable: Unreflected {}
extension SerialQueueCore: Unreflected {}
extension AsyncTransactionCore: Unreflected {}
extension UnfinishedTransactions: Unreflected {}
extension UnfinishedTransactions.Links: Unreflected {}
extension LoopCall: Unreflected {}
extension WaitTable: Unreflected {}

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

extension AsyncTransaction: CustomReflectable {
  /// Its name and its state.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name), ("state", state)]) }
}

extension AsyncTransaction.Operation: CustomReflectable {
  /// Its name, and whether it was cancelled.
  public var customMirror: Mirror {
    Mirror(self, showing: [("name", name), ("isCancelled", isCancelled)])
  }
}

extension TransactionGroup: CustomReflectable {
  /// How many transactions it will commit, on the loop's thread.
  public var customMirror: Mirror {
    Mirror(self, showing: thread == System.thread ? [("count", count)] : [])
  }
}

extension TransactionContainer: CustomReflectable {
  /// Its name, and on the loop's thread its settings and whether it has transactions.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("name", name)]
        + core.onThread { [("collects", collects), ("isPending", isPending)] }
    )
  }
}

extension SingleFlight: CustomReflectable {
  /// How many keys are under way.
  public var customMirror: Mirror {
    Mirror(self, showing: table.scheduler.core.isForked ? [] : [("count", count)])
  }
}

extension SerialQueue: CustomReflectable {
  /// Its name, and how many bodies wait.
  public var customMirror: Mirror {
    Mirror(self, showing: [("name", name)] + (core.isForked ? [] : [("count", count)]))
  }
}

extension SerialQueuePool: CustomReflectable {
  /// Its queues.
  public var customMirror: Mirror { Mirror(self, showing: [("queues", queues)]) }
}
