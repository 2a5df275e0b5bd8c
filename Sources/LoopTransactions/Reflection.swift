// The mirrors that `dump`, a debugger and a failed expectation show. They can be
// requested on any thread, so other threads do not see state of the loop's
// thread. In a forked child process they take no lock.

extension PortCore {
  /// Returns `children` on the loop's thread, and an empty array on other
  /// threads.
  fileprivate func onThread(_ children: () -> [(String, Any)]) -> [(String, Any)] {
    isOnThread ? children() : []
  }
}

extension PortCore: Unreflected {}
extension Inbox: Unreflected {}
extension InboxMark: Unreflected {}
extension VirtualTime: Unreflected {}
extension TimerList: Unreflected {}
extension IdleBlocks: Unreflected {}
extension TransactionSet: Unreflected {}
extension SelectorEntry: Unreflected {}
extension QueueCore: Unreflected {}
extension SchedulerCore: Unreflected {}
extension WorkerPermits: Unreflected {}
extension WorkerRetries: Unreflected {}
extension Worker: Unreflected {}
extension SteppedWorkers: Unreflected {}
extension OperationHandle: Unreflected {}
extension AsyncTransactionCore: Unreflected {}
extension UnfinishedTransactions: Unreflected {}
extension UnfinishedTransactions.Links: Unreflected {}
extension ActivityChannel: Unreflected {}
extension ObservedTarget: Unreflected {}
extension OrphanedJobs: Unreflected {}
extension LoopActivities.Subscription: Unreflected {}
extension DescriptorList: Unreflected {}
extension SignalList: Unreflected {}
extension QueuedValue: Unreflected {}
extension QueueMembers: Unreflected {}
extension FlightWaiter: Unreflected {}
extension FlightTable: Unreflected {}
extension HostCore: Unreflected {}
extension HostWaiter: Unreflected {}
extension LoopCall: Unreflected {}
extension WaitTable: Unreflected {}
extension WatchedSignal: Unreflected {}

extension EventLoop: CustomReflectable {
  /// Shows the loop's state and its metrics.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: core.onThread { [("state", state)] } + [("metrics", core.metrics.snapshot)]
    )
  }
}

extension LoopPort: CustomReflectable {
  /// Shows the loop's metrics.
  public var customMirror: Mirror { Mirror(self, showing: [("metrics", metrics)]) }
}

extension Observer: CustomReflectable {
  /// Shows the observer's settings and whether it is active.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("activities", activities), ("order", order), ("repeats", repeats)]
        + core.onThread { [("isActive", isAttached)] }
    )
  }
}

extension LoopTimer: CustomReflectable {
  /// Shows the timer's deadline and whether it is active.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("deadline", due), ("isActive", isActive)] })
  }
}

extension EventLoop.IdleBlock: CustomReflectable {
  /// Shows whether the block waits.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("isWaiting", isLive)] })
  }
}

extension DelayedPost: CustomReflectable {
  /// Shows the state of the post.
  public var customMirror: Mirror { Mirror(self, showing: [("state", state)]) }
}

extension FrameClock: CustomReflectable {
  /// Shows the clock's frame rate and whether it is active.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("framesPerSecond", framesPerSecond as Any)]
        + core.onThread { [("isActive", isActive)] }
    )
  }
}

extension Transaction: CustomReflectable {
  /// Shows the selector and, on the loop's thread, whether the transaction is
  /// pending.
  public var customMirror: Mirror {
    let entry = SelectorEntry.at(pair.selector)
    let isHere = transactions.thread == threadIdentity()
    return Mirror(
      self,
      showing: [("selector", "\(entry.targetType).\(entry.name)")]
        + (isHere ? [("isPending", isPending)] : [])
    )
  }
}

extension PortTransaction: CustomReflectable {
  /// Shows the selector.
  public var customMirror: Mirror {
    let entry = SelectorEntry.at(pair.selector)
    return Mirror(self, showing: [("selector", "\(entry.targetType).\(entry.name)")])
  }
}

extension Selector: CustomReflectable {
  /// Shows the name.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name)]) }
}

extension Selector.Carrying: CustomReflectable {
  /// Shows the name.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name)]) }
}

extension RunLoopQueue: CustomReflectable {
  /// Shows the number of queued elements.
  public var customMirror: Mirror { Mirror(self, showing: [("count", count)]) }
}

extension RunLoopValueQueue: CustomReflectable {
  /// Shows the number of queued values.
  public var customMirror: Mirror { Mirror(self, showing: [("count", count)]) }
}

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
  /// Shows the current value.
  public var customMirror: Mirror { Mirror(self, showing: [("value", value)]) }
}

extension AsyncTransaction: CustomReflectable {
  /// Shows the name and the state.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name), ("state", state)]) }
}

extension AsyncTransaction.Operation: CustomReflectable {
  /// Shows the name and whether the operation was cancelled.
  public var customMirror: Mirror {
    Mirror(self, showing: [("name", name), ("isCancelled", isCancelled)])
  }
}

extension TransactionGroup: CustomReflectable {
  /// Shows, on the loop's thread, the number of open transactions.
  public var customMirror: Mirror {
    Mirror(self, showing: thread == System.thread ? [("count", count)] : [])
  }
}

extension TransactionContainer: CustomReflectable {
  /// Shows the name and, on the loop's thread, `collects` and `isPending`.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("name", name)]
        + core.onThread { [("collects", collects), ("isPending", isPending)] }
    )
  }
}

extension LoopBound: CustomReflectable {
  /// Shows, on the loop's thread, the value.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("value", box.value)] })
  }
}

extension MainQueueBridge: CustomReflectable {
  /// Shows, on the loop's thread, whether the loop waits for the main queue.
  public var customMirror: Mirror {
    Mirror(self, showing: core.onThread { [("keepsLoopAlive", isWaitedFor)] })
  }
}

extension DescriptorWatcher: CustomReflectable {
  /// Shows the descriptor, the requested events, and whether the watcher is
  /// active.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("descriptor", descriptor)]
        + core.onThread { [("events", events), ("isActive", isAttached)] }
    )
  }
}

extension SignalWatcher: CustomReflectable {
  /// Shows the signal, and whether the watcher is active.
  public var customMirror: Mirror {
    Mirror(self, showing: [("signal", signal)] + core.onThread { [("isActive", isAttached)] })
  }
}

extension ChildWatcher: CustomReflectable {
  /// Shows the child's process identifier, and whether the watcher is active.
  public var customMirror: Mirror {
    Mirror(self, showing: [("process", process)] + core.onThread { [("isActive", isActive)] })
  }
}

extension Embedding: CustomReflectable {
  /// Shows the descriptor.
  public var customMirror: Mirror { Mirror(self, showing: [("pollDescriptor", pollDescriptor)]) }
}

extension SerialQueue: CustomReflectable {
  /// Shows the name and the number of closures that have not begun.
  public var customMirror: Mirror {
    Mirror(self, showing: [("name", name)] + (core.isForked ? [] : [("count", count)]))
  }
}

extension SerialQueuePool: CustomReflectable {
  /// Shows the queues.
  public var customMirror: Mirror { Mirror(self, showing: [("queues", queues)]) }
}

extension SingleFlight: CustomReflectable {
  /// Shows the number of keys whose operation is queued or running.
  public var customMirror: Mirror {
    Mirror(self, showing: table.scheduler.core.isForked ? [] : [("count", count)])
  }
}

extension LoopGroup: CustomReflectable {
  /// Shows the threads.
  public var customMirror: Mirror { Mirror(self, showing: [("threads", threads)]) }
}

extension LoopThread: CustomReflectable {
  /// Shows the thread's name and the loop's metrics.
  public var customMirror: Mirror {
    Mirror(self, showing: [("name", name), ("metrics", port.metrics)])
  }
}

extension ExecutorHost: CustomReflectable {
  /// Shows the loop's metrics.
  public var customMirror: Mirror { Mirror(self, showing: [("metrics", port.metrics)]) }
}

extension HostExecutor: CustomReflectable {
  /// Shows whether the host keeps its thread.
  public var customMirror: Mirror { Mirror(self, showing: [("keepsThread", keepsThread)]) }
}
