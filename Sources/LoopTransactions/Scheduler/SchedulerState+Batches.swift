// What waits in batches, behind an operation that takes long.
extension SchedulerState {
  /// Takes back what waits behind an operation that is held up, to the front of the backlog.
  mutating func reclaimStalled(_ now: UInt64) {
    guard !batchedWorkers.isEmpty else { return }
    // Last first: each goes to the front.
    for member in batchedWorkers.reversed() {
      member._withUnsafeGuaranteedRef { worker in
        guard worker.isStalled(at: now) else { return }
        worker.forEachUnclaimed { if backlog.reclaim($0) { running -= 1 } }
      }
    }
    batchedWorkers.removeAll { $0._withUnsafeGuaranteedRef { $0.isStalled(at: now) } }
  }

  /// The worker that watches had a look, at `now`.
  package mutating func monitor(_ worker: Worker, now: UInt64) -> WorkerAction {
    defer { checkInvariants() }
    reclaimStalled(now)
    if batchedWorkers.isEmpty { stopMonitoring(worker) }
    return requestWorkerIfNeeded()
  }

  mutating func stopMonitoring(_ worker: Worker) {
    guard worker.isMonitoring else { return }
    worker.isMonitoring = false
    hasMonitor = false
  }
}
