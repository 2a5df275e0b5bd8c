// What is set, and the end.
extension SchedulerState {
  /// Lets at most `limit` workers be awake.
  package mutating func setLimit(_ limit: Int) -> WorkerAction {
    self.limit = limit
    return requestWorkerIfNeeded()
  }

  /// Lets one worker fewer be awake while `yes`.
  package mutating func setInteractive(_ yes: Bool) -> WorkerAction {
    isInteractive = yes
    return requestWorkerIfNeeded()
  }

  /// Refuses operations from now on. Those that wait are run; then workers end.
  package mutating func close() -> WorkerAction {
    defer { checkInvariants() }
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

  /// The worker of `worker` was woken: whether it goes on, or is one of those that end.
  package mutating func resume(_ worker: Worker) -> Bool {
    defer { checkInvariants() }
    stopMonitoring(worker)
    guard ending > 0 else { return true }
    ending -= 1
    return false
  }
}
