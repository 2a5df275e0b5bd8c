// Metrics, settings and closing.
extension SchedulerState {
  /// Returns `metrics` to a caller.
  mutating func inspect() -> SchedulerMetrics {
    inspections &+= 1
    return metrics
  }

  /// Sets how many workers may be awake.
  package mutating func setLimit(_ limit: Int) -> WorkerAction {
    inspections &+= 1
    self.limit = limit
    return requestWorkerIfNeeded()
  }

  /// Removes the memory that a long queue leaves, if no operation is queued or
  /// running. The caller discards it.
  mutating func removeExcessMemory() -> [DiscardableMemory] {
    backlog.count == 0 && running == 0 ? backlog.removeExcess() : []
  }

  /// Turns interactive mode on or off. O4.
  package mutating func setInteractive(_ yes: Bool) -> WorkerAction {
    inspections &+= 1
    isInteractive = yes
    return requestWorkerIfNeeded()
  }

  /// Refuses further operations. Workers run the queued operations and then
  /// end.
  package mutating func close() -> WorkerAction {
    defer { checkInvariants() }
    inspections &+= 1
    isClosed = true
    guard backlog.count == 0, batchedWorkers.isEmpty else { return requestWorkerIfNeeded() }
    return endSleepers()
  }

  mutating func endSleepers() -> WorkerAction {
    guard sleeping > 0 else { return .none }
    let count = sleeping
    workers -= count
    sleeping = 0
    ending += count
    return .end(count)
  }

  /// Handles the wake of `worker`. Returns false if it must end.
  package mutating func resume(_ worker: Worker) -> Bool {
    defer { checkInvariants() }
    stopMonitoring(worker)
    guard ending > 0 else { return true }
    ending -= 1
    return false
  }
}
