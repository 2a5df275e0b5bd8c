// What is set, and the end.
extension SchedulerState {
  /// Lets at most `limit` workers be awake.
  package mutating func setLimit(_ limit: Int) -> WorkerAction {
    self.limit = limit
    return moreWorkersIfNeeded()
  }

  /// Lets one worker fewer be awake while `yes`.
  package mutating func setInteractive(_ yes: Bool) -> WorkerAction {
    isInteractive = yes
    return moreWorkersIfNeeded()
  }

  /// Refuses operations from now on. Those that wait are run; then workers end.
  package mutating func close() -> WorkerAction {
    defer { checkInvariants() }
    isClosed = true
    guard backlog.count == 0, shared.isEmpty else { return moreWorkersIfNeeded() }
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

  /// The worker of `seat` was woken: whether it goes on, or is one of those that end.
  package mutating func stays(_ seat: WorkerSeat) -> Bool {
    defer { checkInvariants() }
    stopWatching(seat)
    guard ending > 0 else { return true }
    ending -= 1
    return false
  }
}
