// The system refuses threads.
extension SchedulerState {
  // 0.1 ms, doubled 10 times at most, up to 0.1 s: where nothing is near a limit, one
  // start in 10^5 is refused, and the next is not. Not measured.
  package static var firstRetryDelay: UInt64 { 100_000 }

  /// The system refused the thread of a worker. One that sleeps takes its place, or the
  /// start is retried later.
  ///
  /// - Returns: What to do, and whether to report that no worker is left: once until
  ///   one starts.
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

  /// It is time to retry a refused start.
  package mutating func retry() -> WorkerAction {
    isRetrying = false
    let action = requestWorkerIfNeeded()
    if action != .start { refusals = 0 }
    return action
  }

  /// The thread of a worker has begun.
  package mutating func didStart() {
    refusals = 0
    wasReported = false
  }
}
