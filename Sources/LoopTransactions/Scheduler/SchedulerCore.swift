import Synchronization

/// The part of a scheduler that its workers retain: the locked state, and the
/// place where idle workers sleep.
@usableFromInline
final class SchedulerCore: Sendable {
  let name: String
  let workName = LazyWorkName()
  /// Tells schedulers of one name apart in a trace.
  let number = SchedulerNumber.next()
  private let state: AdaptiveLock<SchedulerState>
  private let parking = Parking()
  /// The length of the queue, as a hint for searching workers.
  private let waiting = Atomic<Int>(0)

  private let permits: WorkerPermits
  let retries: WorkerRetries
  // The workers that exist. Unretained, because each removes itself.
  private let workers = Locked<[ObjectIdentifier: Unmanaged<Worker>]>([:])
  // How long an idle worker sleeps before it ends, in nanoseconds. 5 s, so that
  // a pause between frames or requests does not restart workers. Not measured.
  private let idleTime: UInt64
  private let generation = ForkGuard.install()

  /// The tasks that run operations with an async body, while the process has a
  /// virtual clock.
  let tasks = Locked<Set<Int>>([])

  /// The workers that a test steps, or nil if workers are threads.
  let stepped: SteppedWorkers?

  /// Creates the core of a scheduler without workers.
  init(
    name: String,
    limit: Int,
    permits: WorkerPermits,
    retries: WorkerRetries = .shared,
    idleTime: UInt64 = 5_000_000_000,
    stepped: SteppedWorkers? = nil
  ) {
    self.name = name
    self.permits = permits
    self.retries = retries
    self.idleTime = idleTime
    self.stepped = stepped
    // 1, because a longer pause delays the adding thread. With up to 16 pauses, an
    // empty operation took 1.3 times as long.
    state = AdaptiveLock(SchedulerState(limit: limit), longestPause: 1)
    LoopTrace.startFromEnvironment()
    // Started early, because the system may refuse a thread later.
    retries.prepare()
    permits.watch(self)
  }

  deinit { if !isForked { permits.unwatch(self) } }

  /// Adds an operation. Traps if the scheduler is closed.
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

  /// Adds an operation. Passes its handle to `publish` under the lock, before a
  /// worker can see the operation. Returns nil if the scheduler is closed.
  @discardableResult
  func add(
    _ content: consuming OperationNode.Content,
    level: Int,
    _ publish: (OperationHandle) -> Void = { _ in }
  ) -> OperationHandle? {
    // Read before a worker can run the operation.
    let arrow = _slowPath(ForkGuard.trace != 0) ? arrowBegin(of: content) : nil
    var content: OperationNode.Content? = consume content
    let added = change { state in
      let added = state.add(content.take(), level: level)
      if let added { publish(added.handle) }
      return added
    }
    guard let added else { return nil }
    if let arrow { trace(arrow, to: added.handle) }
    perform(added.action)
    return added.handle
  }

  /// Cancels `handle`, and returns whether the operation had not begun.
  func cancel(_ handle: OperationHandle) -> Bool {
    switch change({ $0.cancel(handle) }) {
    case .body: return true
    case .job: return true
    case .owner(let owner):
      owner.operationEnded(wasCancelled: true)
      return true
    case nil: return false
    }
  }

  /// Moves `handle` behind the operations of `level`. Returns false if the
  /// operation has begun.
  func move(_ handle: OperationHandle, to level: Int) -> Bool {
    change { $0.move(handle, to: level) }
  }

  /// Runs `handle` on the calling thread if the operation has not begun, or if
  /// a stepped worker has begun it. Returns whether it ran.
  func runIfQueued(_ handle: OperationHandle) -> Bool {
    guard change({ $0.claim(handle) }) else { return stepped?.runIfBegun(handle) ?? false }
    if Self.run(ScheduledOperation(core: self, handle: handle)) { end(handle) }
    return true
  }

  /// Frees the node of an operation that a worker handed over.
  func end(_ handle: OperationHandle) { change { $0.end(handle) } }

  /// Changes settings, then starts or wakes workers as needed.
  func update(_ body: (inout SchedulerState) -> SchedulerState.WorkerAction) {
    perform(change(body))
  }

  /// Reads from the state.
  func ask<Result>(_ body: (borrowing SchedulerState) -> Result) -> Result {
    checkProcess()
    return state.withLock { body($0) }
  }

  /// Whether this is not the process that created the scheduler, but a forked
  /// child.
  @inline(__always)
  var isForked: Bool { ForkGuard.generation != generation }

  /// Traps in a forked child process.
  @inline(__always)
  func checkProcess() {
    // The workers exist in the parent only, and one of them may hold the lock.
    if _slowPath(isForked) { trapInChild() }
  }

  private func trapInChild() -> Never {
    trap("OperationScheduler \(name): belongs to the parent process; make one in the child")
  }

  /// Refuses further operations. Workers run the queued operations and end.
  func close() {
    // A forked child has no workers to end, and just releases its copy.
    if !isForked { perform(change { $0.close() }) }
  }

  /// Performs a transition of the state and returns its result.
  func change<Result: ~Copyable>(
    _ body: (inout SchedulerState) -> Result
  ) -> Result {
    checkProcess()
    return state.withLock { state in
      let result = body(&state)
      // Relaxed: a hint. A worker that sees work checks again under the lock.
      waiting.store(state.backlog.count, ordering: .relaxed)
      return result
    }
  }

  /// Performs the action that a transition returned.
  func perform(_ action: SchedulerState.WorkerAction) {
    switch action {
    case .none: break
    case .wake, .start:
      if permits.acquire(for: self, action) {
        permitWasGranted(action)
      } else {
        permits.arm(retries)
      }
    case .end(let sleepers): parking.wake(sleepers)
    case .retry(let delay): retries.retry(self, after: delay)
    case .awaitRetry: retries.serveWithoutThread()
    }
  }

  /// Retries the start of a worker that the system refused.
  func retryStart() { perform(change { $0.retry() }) }

  /// Wakes or starts a worker, which now has a permit to be awake.
  func permitWasGranted(_ action: SchedulerState.WorkerAction) {
    switch action {
    case .none, .end, .retry, .awaitRetry: break
    case .wake: parking.wake()
    case .start: startWorker()
    }
  }
}

// The worker loop.
extension SchedulerCore {
  // 3 us, which is less than the adding thread needs to wake a worker.
  static let searchTime: UInt64 = 3_000

  // 1 ms: the time that the rest of a batch waits behind an operation that is
  // unexpectedly long. Not measured.
  private static let monitorInterval: UInt64 = 1_000_000

  private func startWorker() {
    if retries.startThread(name, { [self] in work() }) { return }
    permits.release()
    let (action, shouldReport) = change { $0.workerStartFailed() }
    if shouldReport {
      System.logToStandardError(
        "OperationScheduler \(name): the system refused a thread for a worker; retrying"
      )
    }
    perform(action)
  }

  private func work() {
    let worker = Worker()
    workers.withLock { $0[ObjectIdentifier(worker)] = .passUnretained(worker) }
    defer { workers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(worker)) } }
    worker.awakeSince = System.cycles
    change { $0.didStart() }
    while true {
      let yields = permits.isContended && worker.hasWorkedLong
      let now = System.cycles
      let ((step, action), isOversized) = change { state in
        let next = yields ? state.yield(worker, now: now) : state.next(worker, now: now)
        return (next, state.backlog.isOversized)
      }
      perform(action)
      switch step {
      case .run: runBatch(worker)
      case .search: search()
      case .sleep:
        if _slowPath(WorkSlot.isWanted) { traceCounters() }
        permits.release()
        if _slowPath(isOversized) { giveBackMemory() }
        guard sleep(worker) else { return }
      case .end: return permits.release()
      }
    }
  }

  /// Returns the memory of a long queue to the system, after its last operation
  /// has ended. Not under the lock, because that takes milliseconds.
  private func giveBackMemory() {
    let excess = change { $0.removeExcessMemory() }
    guard !excess.isEmpty else { return }
    for memory in excess { System.discard(memory) }
    change { $0.backlog.addDiscarded(excess) }
  }

  private func search() {
    let end = System.nanoseconds + Self.searchTime
    while waiting.load(ordering: .relaxed) == 0, System.nanoseconds < end { System.pause() }
  }

  /// Sleeps until the worker is woken. Returns false if it must end, because it
  /// was idle for too long or the scheduler is closed.
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
    let count =
      _slowPath(WorkSlot.isWanted)
      ? runPublishedBatch(worker)
      : worker.claimEach { run($0, on: worker) }
    guard count > 0 else { return }
    // A batch is sized for 5 us of work, so a more urgent operation waits at
    // most 5 us after the running operation. The limit at most doubles from one
    // batch to the next, because one short operation says little about the next.
    // With a limit of 32 after one short operation, p99 of an urgent operation
    // among many operations of 20 us was 163 us. With doubling, it is 20 us.
    let perOperation = (System.cycles &- began) / UInt64(count)
    let isShort = perOperation &* 32 < System.fewMicroseconds
    worker.batchLimit = isShort ? min(Worker.capacity, worker.batchLimit * 2) : 1
  }

  /// Runs `handle`, which `worker` has claimed.
  @inline(__always)
  func run(_ handle: OperationHandle, on worker: Worker) {
    let unretained = Unmanaged.passUnretained(worker)
    if !Self.run(ScheduledOperation(core: self, handle: handle), on: unretained) {
      worker.handOver(handle)
    }
  }

  /// Runs `operation`, which the caller has claimed, on the thread of `worker`
  /// or on another one. Returns false if it has not ended: its owner then ends
  /// it.
  // Unmanaged, because the optimizer counts references to an optional object.
  static func run(_ operation: ScheduledOperation, on worker: Unmanaged<Worker>? = nil) -> Bool {
    // Moved out, so that its captures are released here and no copy is
    // retained.
    switch operation.handle.node.pointee.content.take() {
    case .body(let body): body(operation)
    case .owner(let owner):
      worker?._withUnsafeGuaranteedRef { $0.publish(owner) }
      CurrentOperation.with(owner) { owner.run(operation) }
      worker?._withUnsafeGuaranteedRef { $0.unpublish(owner) }
      if _slowPath(owner.endsLater) { return false }
      owner.operationEnded(wasCancelled: false)
    case .job(let job, let scheduler):
      withExtendedLifetime(scheduler) {
        job.runSynchronously(on: scheduler.asUnownedTaskExecutor())
      }
    case nil: break
    }
    return true
  }
}

// Reports of `WorkerPermits`.
extension SchedulerCore {
  /// A number that changes when an operation begins, ends or is cancelled.
  var progress: UInt64 {
    state.withLock { state in
      let dequeued = state.added &- UInt64(state.backlog.count)
      return dequeued &* 2 &- UInt64(state.running)
    }
  }

  /// The number of operations that run, and their names.
  var runningDescription: String? {
    let running = state.withLock { $0.running }
    guard running > 0 else { return nil }
    let titles = workers.withLock { workers in
      workers.values.compactMap { $0._withUnsafeGuaranteedRef { $0.runningTitle } }.sorted()
    }
    let names = titles.isEmpty ? "" : ": " + titles.joined(separator: ", ")
    return "\(name) (\(running) running\(names))"
  }

  var waitingDescription: String { "\(name) (\(state.withLock { $0.backlog.count }) queued)" }
}
