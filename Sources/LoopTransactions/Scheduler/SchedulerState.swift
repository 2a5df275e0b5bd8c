/// Who works at what: a scheduler's operations and its workers, under its lock.
///
/// A transition changes the state and returns what is to be done without the lock.
///
/// A worker is awake or it sleeps. Of those awake at most one searches: it found
/// nothing, and looks for some microseconds more before it sleeps, so that what is
/// added meanwhile wakes nobody. Workers that are awake are never more than
/// `width`. O1, O4.
///
/// What a worker took several of at once, others take back if it is held up by the
/// first: the next that asks, or the one that watches while it sleeps.
package struct SchedulerState: ~Copyable {
  /// What to do about the workers.
  package enum WorkerAction: Equatable {
    case none
    /// Wake one that sleeps.
    case wake
    /// Start one more.
    case start
    /// Have this many that sleep end.
    case end(Int)
    /// Call `retry()` after this many nanoseconds.
    case retry(after: UInt64)
    /// See to it that somebody calls `retry()`, as was asked for before.
    case awaitRetry
  }

  /// What a worker does next.
  package enum Step: Equatable {
    /// Run what it took.
    case run
    /// Look for work a little longer, then ask again.
    case search
    /// Sleep until it is woken.
    case sleep
    /// End: the scheduler is closed, and nothing is left.
    case end
  }

  package var backlog = OperationBacklog()
  package internal(set) var limit: Int
  package internal(set) var isInteractive = false
  package internal(set) var isClosed = false

  /// How many workers there are.
  package internal(set) var workers = 0
  /// How many of them sleep.
  package internal(set) var sleeping = 0
  /// How many look for work: 0 or 1, and those just woken or started.
  package internal(set) var searching = 0

  /// How many that slept were told to end, and have not noticed.
  package internal(set) var ending = 0

  /// Whether a refused start will be retried; until then none is tried.
  package internal(set) var isRetrying = false
  // How many starts in a row were refused.
  var refusals: UInt64 = 0
  // Whether it was reported that no worker is left, since one last started.
  var wasReported = false

  /// How many operations were taken and have not ended.
  package internal(set) var running = 0

  private var added: UInt64 = 0
  private var cancelled: UInt64 = 0

  // Who took several at once; unretained: each is taken off before its worker ends.
  var batchedWorkers: [Unmanaged<Worker>] = []
  /// Whether one that sleeps watches who took several at once.
  package internal(set) var hasMonitor = false

  // How many workers are at an operation that they took because it was the oldest.
  private var agingWorkers = 0
  // How many were taken by priority since the oldest was taken.
  private var dequeuedByPriority = 0

  /// After so many operations for each worker, less one, the oldest is taken, whoever
  /// is in the lane: with one worker, every eighth. O3.
  package static var agingInterval: Int { 8 }

  package init(limit: Int) { self.limit = limit }

  /// How many workers may be awake.
  package var width: Int { isInteractive ? max(1, limit - 1) : limit }

  var awake: Int { workers - sleeping }

  /// What it has done, and is at.
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
    assert(searching <= awake && sleeping <= workers, "SchedulerState: who searches is awake")
    assert(running >= 0, "SchedulerState: an operation ends once")
  }
}

// Operations come and go.
extension SchedulerState {
  /// Adds an operation; nil if the scheduler is closed.
  // Optional, so that a caller can move it in: a closure copies what it captures.
  package mutating func add(
    _ content: consuming OperationNode.Content?,
    level: Int
  ) -> (handle: OperationHandle, action: WorkerAction)? {
    guard !isClosed else { return nil }
    let handle = backlog.append(content, level: level)
    added &+= 1
    return (handle, requestWorker())
  }

  /// Takes `handle` if it has not begun; whether it is the caller's to run.
  package mutating func claim(_ handle: OperationHandle) -> Bool {
    if backlog.remove(handle) { running += 1 }
    return handle.claim()
  }

  /// Puts `handle` behind those of `level`, if it has not begun; whether that is so.
  package mutating func move(_ handle: OperationHandle, to level: Int) -> Bool {
    if backlog.reclaim(handle) { running -= 1 }
    return backlog.move(handle, to: level)
  }

  /// Cancels `handle`: what it was, if it has not begun; one that has is told.
  package mutating func cancel(_ handle: OperationHandle) -> OperationNode.Content? {
    guard handle.isCurrent else { return nil }
    // Claimed also where it waits: a worker from which it was taken back may be about to.
    guard claim(handle) else {
      // It has begun: nobody else changes the word until it has ended.
      handle.node.pointee.setWord(handle.node.pointee.word | OperationNode.cancelled)
      return nil
    }
    running -= 1
    cancelled &+= 1
    let content = handle.node.pointee.content.take()
    backlog.recycle(handle)
    return content
  }

  /// Takes back the memory of one that was taken and has ended.
  package mutating func end(_ handle: OperationHandle) {
    running -= 1
    backlog.recycle(handle)
  }

  /// One more worker if something waits, or what waits in a batch has nobody who
  /// watches it.
  mutating func requestWorkerIfNeeded() -> WorkerAction { needsWorker ? requestWorker() : .none }

  var needsWorker: Bool { backlog.count > 0 || (!batchedWorkers.isEmpty && !hasMonitor) }

  /// Whoever searches finds what was added; else one more has to come, if it may.
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

// Workers ask.
extension SchedulerState {
  /// What a worker does next. One that searched says so, and one that is at the
  /// oldest operation gives that up.
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
    if shouldDequeueOldest(wasInAgingSlot: wasInAgingSlot), let oldest = backlog.dequeueOldest() {
      worker.append(oldest.node)
      occupyAgingSlot(oldest, by: worker)
    } else {
      backlog.dequeueHighest(remainingBeforeOldest, for: worker)
      dequeuedByPriority += worker.count
    }
    running += worker.count
    guard worker.count > 1 else { return }
    worker.batchStart = now
    batchedWorkers.append(Unmanaged.passUnretained(worker))
  }

  private mutating func occupyAgingSlot(_ oldest: OperationHandle, by worker: Worker) {
    // It had its turn, and may be younger than others: the lane is still theirs.
    guard !oldest.node.pointee.wasReclaimed else { return dequeuedByPriority += 1 }
    worker.isInAgingSlot = true
    agingWorkers += 1
    dequeuedByPriority = 0
  }

  private func shouldDequeueOldest(wasInAgingSlot: Bool) -> Bool {
    if remainingBeforeOldest == 0 { return true }
    return width > 1 && agingWorkers == 0 && !wasInAgingSlot
  }

  /// How many may be taken by priority before the oldest has to be.
  private var remainingBeforeOldest: Int {
    // A limit may be as high as anybody likes.
    max(0, min(width, 1 << 16) * Self.agingInterval - 1 - dequeuedByPriority)
  }

  private mutating func sleep(_ worker: Worker) -> Step {
    sleeping += 1
    if !batchedWorkers.isEmpty, !hasMonitor {
      hasMonitor = true
      worker.isMonitoring = true
    }
    return .sleep
  }

  /// Sleeps as if there were nothing to do, so that others get a turn; another
  /// worker is asked for in its place.
  package mutating func yield(
    _ worker: Worker,
    now: UInt64
  ) -> (step: Step, action: WorkerAction) {
    defer { checkInvariants() }
    // Nothing for anybody: it may have to end.
    if backlog.count == 0 { return next(worker, now: now) }
    finishBatch(worker)
    let step = sleep(worker)
    return (step, requestWorkerIfNeeded())
  }

  /// Takes note of what the worker of `worker` has done.
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

  /// A worker slept for long, and nobody woke it: whether it ends.
  package mutating func retireIdleWorker() -> Bool {
    defer { checkInvariants() }
    // Who is counted awake has been woken, and finds its wake yet.
    guard sleeping > 0 else { return false }
    sleeping -= 1
    workers -= 1
    return true
  }
}
