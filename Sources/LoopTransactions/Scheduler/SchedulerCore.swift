import Synchronization

/// What a scheduler shares with its workers: the state under its lock, and where
/// workers sleep.
@usableFromInline
final class SchedulerCore: Sendable {
  let name: String
  private let state: BrieflyLocked<SchedulerState>
  private let parking = Parking()
  /// How many wait, as a worker that searches may see it; a hint.
  private let waiting = Atomic<Int>(0)

  private let permits: WorkerPermits
  private let retries: WorkerRetries
  // For how long a worker sleeps before it ends, in nanoseconds: 5 s, so that a pause
  // between two frames or requests starts nobody anew. Guess.
  private let idleTime: UInt64
  private let generation = ForkGuard.install()

  /// The core of a scheduler that has no workers yet.
  init(
    name: String,
    limit: Int,
    permits: WorkerPermits,
    retries: WorkerRetries = .shared,
    idleTime: UInt64 = 5_000_000_000
  ) {
    self.name = name
    self.permits = permits
    self.retries = retries
    self.idleTime = idleTime
    state = BrieflyLocked(SchedulerState(limit: limit))
    // Before anything is promised: a thread may be refused later.
    retries.prepare()
  }

  /// Adds an operation, or traps.
  @usableFromInline
  func add(
    _ body: consuming OperationBody,
    _ priority: OperationPriority
  ) -> OperationHandle {
    guard let handle = add(body.content, level: OperationBacklog.level(priority)) else {
      trap("OperationScheduler.add: the scheduler is closed")
    }
    return handle
  }

  /// Adds an operation; nil if the scheduler is closed.
  func add(
    _ content: consuming OperationNode.Content,
    level: Int
  ) -> OperationHandle? {
    var content: OperationNode.Content? = consume content
    let added = change { $0.add(content.take(), level: level) }
    guard let added else { return nil }
    perform(added.action)
    return added.handle
  }

  /// Adds an operation as above, and tells `publish` its handle before any worker may
  /// know of it, under the lock; whether it was added.
  func add(
    _ content: consuming OperationNode.Content,
    level: Int,
    _ publish: (OperationHandle) -> Void
  ) -> Bool {
    var content: OperationNode.Content? = consume content
    let action = change { state in
      let added = state.add(content.take(), level: level)
      if let added { publish(added.handle) }
      return added?.action
    }
    guard let action else { return false }
    perform(action)
    return true
  }

  /// Cancels `handle`; whether it waited, and so does not run.
  func cancel(_ handle: OperationHandle) -> Bool {
    switch change({ $0.cancel(handle) }) {
    case .body: return true
    case .job: return true
    case .owner(let owner):
      owner.operationEnded(.cancelled)
      return true
    case nil: return false
    }
  }

  /// Puts `handle` behind those of `level`, if it waits; whether it does.
  func move(_ handle: OperationHandle, to level: Int) -> Bool {
    change { $0.move(handle, to: level) }
  }

  /// Runs `handle` on the calling thread, if it waits; whether it did.
  func runIfQueued(_ handle: OperationHandle) -> Bool {
    guard change({ $0.claim(handle) }) else { return false }
    Self.run(ScheduledOperation(core: self, handle: handle))
    change { $0.end(handle) }
    return true
  }

  /// Changes settings, and what follows for the workers.
  func update(_ body: (inout SchedulerState) -> SchedulerState.WorkerAction) {
    perform(change(body))
  }

  /// Asks the state.
  func ask<Result>(_ body: (borrowing SchedulerState) -> Result) -> Result {
    checkProcess()
    return state.withLock { body($0) }
  }

  /// Whether this process is a child of the one that made the scheduler.
  @inline(__always)
  var isForked: Bool { ForkGuard.generation != generation }

  /// Traps in a child of the process that made the scheduler.
  func checkProcess() {
    // The workers are the parent's, and one of them may hold the lock.
    if _slowPath(isForked) {
      trap("OperationScheduler \(name): it belongs to the parent process; make one in the child")
    }
  }

  /// Refuses operations from now on; those that wait are run, and the workers end.
  func close() {
    // A child lets go of what it inherited.
    if !isForked { perform(change { $0.close() }) }
  }

  private func change<Result: ~Copyable>(
    _ body: (inout SchedulerState) -> Result
  ) -> Result {
    checkProcess()
    return state.withLock { state in
      let result = body(&state)
      // Relaxed: a hint, which is looked at under the lock after that.
      waiting.store(state.backlog.count, ordering: .relaxed)
      return result
    }
  }

  private func perform(_ action: SchedulerState.WorkerAction) {
    switch action {
    case .none: break
    case .wake, .start: if permits.acquire(for: self, action) { permitWasGranted(action) }
    case .end(let sleepers): parking.wake(sleepers)
    case .retry(let delay): retries.retry(self, after: delay)
    case .awaitRetry: retries.ensureDriver()
    }
  }

  /// It is time to retry a start that the system refused.
  func retryStart() { perform(change { $0.retry() }) }

  /// The calling task is about to suspend until an operation has ended.
  func taskWillSuspend() { retries.driveByTask() }

  /// A worker may be awake.
  func permitWasGranted(_ action: SchedulerState.WorkerAction) {
    switch action {
    case .none, .end, .retry, .awaitRetry: break
    case .wake: parking.wake()
    case .start: startWorker()
    }
  }
}

// What a worker does.
extension SchedulerCore {
  // 3 us: less than waking a thread costs whoever adds.
  private static let searchTime: UInt64 = 3_000

  // 1 ms: so long may what was taken wait behind what took unexpectedly long. Guess.
  private static let monitorInterval: UInt64 = 1_000_000

  private func startWorker() {
    if retries.startThread(name, { [self] in work() }) { return }
    permits.release()
    let (action, shouldReport) = change { $0.workerStartFailed() }
    if shouldReport {
      System.report(
        "OperationScheduler \(name): the system refused a thread for a worker; retrying"
      )
    }
    perform(action)
  }

  private func work() {
    let worker = Worker()
    worker.awakeSince = System.cycles
    change { $0.didStart() }
    while true {
      let yields = permits.isContended && worker.hasWorkedLong
      let now = System.cycles
      let (step, action) = change { state in
        yields ? state.yield(worker, now: now) : state.next(worker, now: now)
      }
      perform(action)
      switch step {
      case .run: runBatch(worker)
      case .search: search()
      case .sleep:
        permits.release()
        guard sleep(worker) else { return }
      case .end: return permits.release()
      }
    }
  }

  private func search() {
    let end = System.nanoseconds + Self.searchTime
    while waiting.load(ordering: .relaxed) == 0, System.nanoseconds < end { System.pause() }
  }

  /// Sleeps until it is woken; false if it is to end: it slept too long, or the
  /// scheduler is closed.
  private func sleep(_ worker: Worker) -> Bool {
    while !parking.sleep(atMost: worker.isMonitoring ? Self.monitorInterval : idleTime) {
      if worker.isMonitoring {
        let now = System.cycles
        perform(change { $0.monitor(worker, now: now) })
      } else if change({ $0.retireIdleWorker() }) {
        return false
      }
    }
    guard change({ $0.resume(worker) }) else { return false }
    worker.isSearching = true
    worker.awakeSince = System.cycles
    return true
  }

  private func runBatch(_ worker: Worker) {
    let began = System.cycles
    let count = worker.claimEach { Self.run(ScheduledOperation(core: self, handle: $0)) }
    guard count > 0 else { return }
    // 5 us of work are taken at once: so long may something more urgent wait for a
    // worker beyond the operation that runs. Twice as many as before at most: one
    // cheap operation says little about the next. With 32 at once after it, p99 of an
    // urgent one over many of 20 us was 163 us instead of 20.
    let perOperation = (System.cycles &- began) / UInt64(count)
    let isCheap = perOperation &* 32 < System.cyclesPerReading
    worker.batchLimit = isCheap ? min(Worker.capacity, worker.batchLimit * 2) : 1
  }

  /// Runs `operation`, which is the caller's.
  private static func run(_ operation: ScheduledOperation) {
    // Moved out: what it holds is released here, and retained nowhere.
    switch operation.handle.node.pointee.content.take() {
    case .body(let body): body(operation)
    case .owner(let owner):
      CurrentOperation.with(owner) { owner.run(operation) }
      owner.operationEnded(.performed)
    case .job(let job, let scheduler):
      withExtendedLifetime(scheduler) {
        job.runSynchronously(on: scheduler.asUnownedTaskExecutor())
      }
    case nil: break
    }
  }
}
