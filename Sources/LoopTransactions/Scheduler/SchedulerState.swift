/// The queued operations and the workers of a scheduler. Protected by the
/// scheduler's lock.
///
/// A transition changes the state and returns an action, which the caller
/// performs without the lock.
///
/// A worker is awake or asleep. At most `width` workers are awake, and at most
/// one of them searches. A searching worker found no operation and looks for
/// some microseconds more before it sleeps, so that adding an operation in this
/// time wakes no thread. O1, O4.
///
/// A worker may dequeue several operations at once. If the first operation
/// stalls the worker, another worker reclaims the rest. That is the next worker
/// that asks for work, or a sleeping worker that monitors batches.
package struct SchedulerState: ~Copyable {
  /// An action on workers, to be performed without the lock.
  package enum WorkerAction: Equatable {
    case none
    /// Wake one sleeping worker.
    case wake
    /// Start one more worker.
    case start
    /// Let this many sleeping workers end.
    case end(Int)
    /// Call `retry()` after this many nanoseconds.
    case retry(after: UInt64)
    /// A call of `retry()` is pending.
    case awaitRetry
  }

  /// The next step of a worker.
  package enum Step: Equatable {
    /// Run the operations of its batch.
    case run
    /// Search a little longer, then ask for the next step again.
    case search
    /// Sleep until woken.
    case sleep
    /// End, because the scheduler is closed and has no work left.
    case end
  }

  package var backlog = OperationBacklog()
  package internal(set) var limit: Int
  package internal(set) var isInteractive = false
  package internal(set) var isClosed = false

  /// The number of workers.
  package internal(set) var workers = 0
  /// The number of workers that sleep.
  package internal(set) var sleeping = 0
  /// The number of workers that search: 0 or 1, plus the workers that were just
  /// woken or started.
  package internal(set) var searching = 0

  /// The number of sleeping workers that must end and have not noticed yet.
  package internal(set) var ending = 0

  /// Whether a refused start will be retried. Until then no start is attempted.
  package internal(set) var isRetrying = false
  // Consecutive refused starts.
  var refusals: UInt64 = 0
  // Whether the lack of workers was reported since a worker last started.
  var wasReported = false

  /// Operations that were dequeued and have not ended.
  package internal(set) var running = 0

  private(set) var added: UInt64 = 0
  private var cancelled: UInt64 = 0
  /// How often a caller asked to cancel, move or claim an operation. Shows a
  /// test whether an order of steps can matter.
  private(set) var interventions: UInt64 = 0
  /// How often a caller read the metrics, changed a setting or closed the
  /// scheduler. For the same purpose.
  var inspections: UInt64 = 0

  // The workers whose batch has several operations. Unretained, because each
  // worker is removed before it ends.
  var batchedWorkers: [Unmanaged<Worker>] = []
  /// Whether a sleeping worker monitors the batches.
  package internal(set) var hasMonitor = false

  // The number of workers that run an operation that they dequeued for its age.
  private var agingWorkers = 0
  // The number of operations dequeued since the oldest operation was last
  // dequeued, by its age or by priority.
  private var dequeuedBeforeOldest = 0

  /// The interval, per worker, after which the oldest operation is dequeued
  /// even if the aging slot is occupied. With one worker, every eighth
  /// operation is the oldest. O3.
  package static var agingInterval: Int { 8 }

  package init(limit: Int) { self.limit = limit }

  /// How many workers may be awake.
  package var width: Int { isInteractive ? max(1, limit - 1) : limit }

  var awake: Int { workers - sleeping }

  /// A snapshot of the counters.
  package var metrics: SchedulerMetrics {
    var metrics = SchedulerMetrics()
    metrics.queued = backlog.count
    metrics.running = running
    metrics.workers = workers
    metrics.awake = awake
    metrics.added = added
    metrics.cancelled = cancelled
    metrics.waits = backlog.times?.waits ?? []
    return metrics
  }

  func checkInvariants() {
    assert(
      searching <= awake && sleeping <= workers,
      "SchedulerState: \(searching) searching, \(sleeping) asleep, \(workers) workers"
    )
    assert(running >= 0, "SchedulerState: more operations ended than ran: \(running)")
  }
}

// Adding, claiming and ending operations.
extension SchedulerState {
  /// Adds an operation. Returns nil if the scheduler is closed.
  // `content` is optional so that a caller can move it out of a captured variable.
  package mutating func add(
    _ content: consuming OperationNode.Content?,
    level: Int
  ) -> (handle: OperationHandle, action: WorkerAction)? {
    guard !isClosed else { return nil }
    let handle = backlog.append(content, level: level)
    added &+= 1
    return (handle, requestWorker())
  }

  /// Claims `handle` if it has not begun. Returns true if the caller now runs
  /// it.
  package mutating func claim(_ handle: OperationHandle) -> Bool {
    interventions &+= 1
    // The next oldest operation is passed from now on.
    if backlog.isOldest(handle) { dequeuedBeforeOldest = 0 }
    if backlog.remove(handle) { running += 1 }
    return handle.claim()
  }

  /// Moves `handle` behind the operations of `level`. Returns false if it has
  /// begun.
  package mutating func move(_ handle: OperationHandle, to level: Int) -> Bool {
    interventions &+= 1
    if backlog.reclaim(handle) { running -= 1 }
    return backlog.move(handle, to: level)
  }

  /// Cancels `handle`. Returns its content if it had not begun, and otherwise
  /// marks it as cancelled.
  package mutating func cancel(_ handle: OperationHandle) -> OperationNode.Content? {
    guard handle.isCurrent else { return nil }
    // Claimed even if the operation is queued. If it was reclaimed from a
    // worker, that worker may be about to claim it.
    guard claim(handle) else {
      // The operation is running, so no other thread changes the word until it
      // has ended.
      handle.node.pointee.setWord(handle.node.pointee.word | OperationNode.cancelled)
      return nil
    }
    running -= 1
    cancelled &+= 1
    let content = handle.node.pointee.content.take()
    backlog.recycle(handle)
    return content
  }

  /// Frees the node of an operation that was dequeued and has ended.
  package mutating func end(_ handle: OperationHandle) {
    running -= 1
    backlog.recycle(handle)
  }

  /// Requests a worker if operations are queued, or if batches have no monitor.
  mutating func requestWorkerIfNeeded() -> WorkerAction { needsWorker ? requestWorker() : .none }

  var needsWorker: Bool { backlog.count > 0 || (!batchedWorkers.isEmpty && !hasMonitor) }

  /// Wakes or starts a worker, unless a worker is searching or all permitted
  /// workers are awake.
  mutating func requestWorker() -> WorkerAction {
    defer { checkInvariants() }
    guard searching == 0, awake < width else { return .none }
    if sleeping > 0 {
      searching += 1
      sleeping -= 1
      return .wake
    }
    if isRetrying { return .awaitRetry }
    searching += 1
    workers += 1
    return .start
  }
}

// The transitions of a worker.
extension SchedulerState {
  /// Ends the batch of `worker` and returns its next step.
  ///
  /// A searching worker stops searching, and a worker in the aging slot leaves
  /// it.
  package mutating func next(
    _ worker: Worker,
    now: UInt64
  ) -> (step: Step, action: WorkerAction) {
    defer { checkInvariants() }
    let (searched, wasInAgingSlot) = (worker.isSearching, worker.isInAgingSlot)
    finishBatch(worker)
    if awake > width { return (sleep(worker), .none) }
    reclaimStalled(now)
    if backlog.count > 0 {
      fillBatch(of: worker, wasInAgingSlot: wasInAgingSlot, now)
      return (.run, requestWorkerIfNeeded())
    }
    if isClosed, batchedWorkers.isEmpty {
      workers -= 1
      return (.end, endSleepers())
    }
    guard !isClosed, !searched, searching == 0 else { return (sleep(worker), .none) }
    searching += 1
    worker.isSearching = true
    return (.search, .none)
  }

  private mutating func fillBatch(of worker: Worker, wasInAgingSlot: Bool, _ now: UInt64) {
    // Clamped, because the limit may be arbitrarily large.
    let width = min(width, 1 << 16)
    let most = width * Self.agingInterval - 1
    let isDue = dequeuedBeforeOldest >= most || (isAgingSlotDue(width) && !wasInAgingSlot)
    if isDue, let oldest = backlog.dequeueOldest() {
      worker.append(oldest.node)
      worker.isInAgingSlot = true
      agingWorkers += 1
      dequeuedBeforeOldest = 0
    } else {
      dequeuedBeforeOldest = backlog.dequeueHighest(
        for: worker,
        beforeOldest: dequeuedBeforeOldest,
        atMost: most
      )
    }
    running += worker.count
    guard worker.count > 1 else { return }
    worker.batchStart = now
    batchedWorkers.append(Unmanaged.passUnretained(worker))
  }

  /// Whether a worker may occupy the aging slot.
  @inline(__always)
  private func isAgingSlotDue(_ width: Int) -> Bool {
    // Each of the other workers comes first. While the oldest operation is also
    // the most urgent one, the count stays 0, so that an urgent operation does
    // not wait for the slot's worker.
    width > 1 && agingWorkers == 0 && dequeuedBeforeOldest >= width - 1
  }

  private mutating func sleep(_ worker: Worker) -> Step {
    sleeping += 1
    if !batchedWorkers.isEmpty, !hasMonitor {
      hasMonitor = true
      worker.isMonitoring = true
    }
    return .sleep
  }

  /// Sends the worker to sleep as if there were no work, so that other
  /// schedulers get its permit. Requests another worker in its place.
  package mutating func yield(
    _ worker: Worker,
    now: UInt64
  ) -> (step: Step, action: WorkerAction) {
    defer { checkInvariants() }
    // If there is no work at all, the worker may have to end.
    if backlog.count == 0 { return next(worker, now: now) }
    finishBatch(worker)
    let step = sleep(worker)
    return (step, requestWorkerIfNeeded())
  }

  /// Recycles the operations that the worker ran, and resets its flags.
  private mutating func finishBatch(_ worker: Worker) {
    if worker.count > 1 {
      batchedWorkers.removeAll { $0._withUnsafeGuaranteedRef { $0 === worker } }
    }
    worker.removeAll { end($0) }
    if worker.isSearching { searching -= 1 }
    if worker.isInAgingSlot { agingWorkers -= 1 }
    worker.isSearching = false
    worker.isInAgingSlot = false
  }

  /// Removes a worker that slept for `idleTime`. Returns false if it was woken
  /// in that time.
  package mutating func retireIdleWorker() -> Bool {
    defer { checkInvariants() }
    // If no worker is counted as asleep, a wake for this worker is on its way.
    guard sleeping > 0 else { return false }
    sleeping -= 1
    workers -= 1
    return true
  }
}

// Operations that wait in the batch of a stalled worker.
extension SchedulerState {
  /// Returns the unclaimed operations of stalled workers to the front of the
  /// backlog.
  mutating func reclaimStalled(_ now: UInt64) {
    guard !batchedWorkers.isEmpty else { return }
    // In reverse order, so that most operations are linked in at the very front.
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

// Metrics, settings and closing.
extension SchedulerState {
  /// Returns `metrics` to a caller.
  mutating func readMetrics() -> SchedulerMetrics {
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
