// Operations that wait in the batch of a stalled worker.
extension SchedulerState {
  /// Returns the unclaimed operations of stalled workers to the front of the
  /// backlog.
  mutating func reclaimStalled(_ now: UInt64) {
    guard !batchedWorkers.isEmpty else { return }
    // In reverse order, because each batch is returned to the front.
    for member in batchedWorkers.reversed() {
      member._withUnsafeGuaranteedRef { worker in
        guard worker.isStalled(at: now) else { return }
        worker.forEachUnclaimed { if backlog.reclaim($0) { running -= 1 } }
      }
    }
    batchedWorkers.removeAll { $0._withUnsafeGuaranteedRef { $0.isStalled(at: now) } }
  }

  /// Reclaims operations for the monitoring worker, at time `now`.
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
