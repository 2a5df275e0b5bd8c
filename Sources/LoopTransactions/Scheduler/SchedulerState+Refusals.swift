// Worker starts that the system refused.
extension SchedulerState {
  // The delay starts at 0.1 ms and doubles up to 10 times, to 0.1 s. Far from
  // any limit on threads, the system refuses one start in 10^5, and the next
  // start succeeds. The delay is not measured.
  package static var firstRetryDelay: UInt64 { 100_000 }

  /// Handles a refused thread. Wakes a sleeping worker instead, or schedules a
  /// retry.
  ///
  /// - Returns: The next action, and whether to report that the scheduler has
  ///   no worker. This is reported once until a worker starts.
  package mutating func workerStartFailed() -> (action: WorkerAction, shouldReport: Bool) {
    defer { checkInvariants() }
    workers -= 1
    searching -= 1
    guard needsWorker, searching == 0, awake < width else { return (.none, false) }
    if sleeping > 0 { return (requestWorker(), false) }
    isRetrying = true
    let delay = Self.firstRetryDelay << min(refusals, 10)
    refusals += 1
    let shouldReport = workers == 0 && !wasReported
    if shouldReport { wasReported = true }
    return (.retry(after: delay), shouldReport)
  }

  /// Retries a refused start.
  package mutating func retry() -> WorkerAction {
    isRetrying = false
    let action = requestWorkerIfNeeded()
    if action != .start { refusals = 0 }
    return action
  }

  /// Resets the retry delay, because the thread of a worker has started.
  package mutating func didStart() {
    refusals = 0
    wasReported = false
  }
}
