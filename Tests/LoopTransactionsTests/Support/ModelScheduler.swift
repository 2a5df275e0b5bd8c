import LoopTransactions

/// A scheduler whose threads are numbers. It performs the actions of its state
/// on them.
struct ModelScheduler: ~Copyable {
  enum Thread: Equatable {
    /// Its thread was requested and has not begun.
    case starting
    case awake
    case asleep
    case gone
  }

  var state: SchedulerState
  var permits: ModelPermits
  private(set) var fault: String?

  private var threads: [Thread] = []
  private var workers: [Worker] = []
  private var wakes = 0
  private var handles: [OperationHandle?] = []
  private var outcomes: [Int: Int] = [:]
  /// The workers whose batches were reclaimed since their last request.
  private var takenBack: Set<Int> = []
  /// True after a worker has yielded. The worker may then sleep until its wait
  /// times out.
  private var hasYielded = false
  /// True if a thread will retry a refused start.
  private var isRetrying = false
  /// The highest limit so far. No more workers than this may be awake.
  private var highestLimit: Int

  /// The number of operations a worker takes at a time.
  private let batchLimit: Int

  init(limit: Int, batchLimit: Int, permits: Int = .max) {
    state = SchedulerState(limit: limit)
    self.batchLimit = batchLimit
    self.permits = ModelPermits(limit: permits)
    highestLimit = limit
  }

  /// Takes `step`, if it is possible now.
  mutating func take(_ step: SchedulerStep) -> Bool {
    switch step {
    case .add(let level): add(level)
    case .cancel(let number):
      guard number < handles.count, let handle = handles[number] else { return false }
      if state.cancel(handle) != nil { end(number) }
    case .move(let number):
      guard number < handles.count, let handle = handles[number] else { return false }
      _ = state.move(handle, to: 200)
    case .interactive(let yes): perform(state.setInteractive(yes))
    case .setLimit(let limit):
      highestLimit = max(highestLimit, limit)
      perform(state.setLimit(limit))
    case .close:
      guard !state.isClosed else { return false }
      perform(state.close())
    case .othersTake: guard permits.othersTake() else { return false }
    case .othersGive:
      guard permits.othersGive() else { return false }
      grant()
    case .setPermits(let limit):
      permits.limit = limit
      grant()
    case .retry:
      guard isRetrying else { return false }
      isRetrying = false
      perform(state.retry())
    case .next, .wakeUp, .timeOut, .monitor, .yield, .workerStartFailed:
      guard takeOfWorker(step) else { return false }
    }
    check()
    return true
  }

  /// Returns a step that `worker`'s thread may take next.
  func turn(_ worker: Int, yields: Bool) -> SchedulerStep? {
    guard worker < threads.count else { return nil }
    switch threads[worker] {
    case .starting: return .next(worker)
    case .awake: return yields ? .yield(worker) : .next(worker)
    case .asleep:
      if wakes > 0 { return .wakeUp(worker) }
      return workers[worker].isMonitoring ? .monitor(worker) : .timeOut(worker)
    case .gone: return nil
    }
  }

  /// Takes every remaining step of the workers. Returns true if every operation
  /// ended and, in a closed scheduler, every worker did too.
  mutating func settle() -> Bool {
    while permits.othersGive() { grant() }
    permits.limit = max(permits.limit, 1)
    for _ in 0..<200 {
      var isDone = !take(.retry)
      for worker in 0..<threads.count {
        if take(.wakeUp(worker)) { isDone = false }
        if take(.next(worker)) { isDone = false }
      }
      if isDone { break }
    }
    for worker in threads.indices where hasYielded {
      _ = take(.monitor(worker))
      _ = take(.timeOut(worker))
    }
    guard !state.isClosed || threads.allSatisfy({ $0 == .gone }) else { return false }
    return outcomes.values.allSatisfy { $0 == 1 } && state.running == 0
  }
}

// MARK: Steps of the workers
extension ModelScheduler {
  private mutating func takeOfWorker(_ step: SchedulerStep) -> Bool {
    switch step {
    case .next(let worker):
      guard isAwake(worker) else { return false }
      finish(worker)
      let (step, action) = state.next(workers[worker], now: 0)
      enter(worker, step, action)
    case .yield(let worker):
      guard isAwake(worker) else { return false }
      finish(worker)
      let (step, action) = state.yield(workers[worker], now: 0)
      hasYielded = true
      enter(worker, step, action)
    case .wakeUp(let worker):
      guard isAsleep(worker), wakes > 0 else { return false }
      wakes -= 1
      let stays = state.resume(workers[worker])
      threads[worker] = stays ? .awake : .gone
      workers[worker].isSearching = stays
    case .timeOut(let worker):
      guard isAsleep(worker), !workers[worker].isMonitoring else { return false }
      if state.retireIdleWorker() { threads[worker] = .gone }
    case .monitor(let worker):
      guard isAsleep(worker), workers[worker].isMonitoring else { return false }
      perform(state.monitor(workers[worker], now: .max / 2))
      takenBack = Set(threads.indices)
    case .workerStartFailed(let worker):
      guard worker < threads.count, threads[worker] == .starting else { return false }
      threads[worker] = .gone
      release()
      perform(state.workerStartFailed().action)
    case .add, .cancel, .move, .interactive, .setLimit, .close, .othersTake, .othersGive,
      .setPermits, .retry:
      return false
    }
    return true
  }

  private func isAwake(_ worker: Int) -> Bool {
    worker < threads.count && (threads[worker] == .awake || threads[worker] == .starting)
  }

  private func isAsleep(_ worker: Int) -> Bool {
    worker < threads.count && threads[worker] == .asleep
  }

  private mutating func add(_ level: Int) {
    let content = OperationNode.Content.body { _ in }
    guard let (handle, action) = state.add(content, level: level) else {
      if !state.isClosed { fault = "refused an operation although it is open" }
      return
    }
    outcomes[handles.count] = 0
    handles.append(handle)
    perform(action)
  }

  private mutating func perform(_ action: SchedulerState.WorkerAction) {
    switch action {
    case .none: break
    case .end(let count): wakes += count
    case .wake, .start: if permits.acquire(action) { permitWasGranted(action) }
    case .retry:
      if isRetrying { fault = "two retries at the same time" }
      isRetrying = true
    case .awaitRetry: if !isRetrying { fault = "awaits a retry that is not scheduled" }
    }
  }

  private mutating func permitWasGranted(_ action: SchedulerState.WorkerAction) {
    if action == .wake { return wakes += 1 }
    threads.append(.starting)
    let worker = Worker()
    worker.batchLimit = batchLimit
    workers.append(worker)
  }

  private mutating func release() {
    permits.release()
    grant()
  }

  private mutating func grant() { while let action = permits.grant() { permitWasGranted(action) } }

  private mutating func finish(_ worker: Int) {
    var ended: [Int] = []
    _ = workers[worker].claimEach { handle in
      if let number = handles.firstIndex(where: { $0?.node == handle.node && $0?.isCurrent == true }
      ) {
        ended.append(number)
      }
    }
    for number in ended { end(number) }
  }

  private mutating func end(_ number: Int) {
    outcomes[number, default: 0] += 1
    handles[number] = nil
  }

  private mutating func enter(
    _ worker: Int,
    _ step: SchedulerState.Step,
    _ action: SchedulerState.WorkerAction
  ) {
    threads[worker] = .awake
    takenBack.remove(worker)
    perform(action)
    switch step {
    case .run, .search: break
    case .sleep:
      threads[worker] = .asleep
      release()
    case .end:
      threads[worker] = .gone
      release()
    }
  }
}

// MARK: Invariants after every step
extension ModelScheduler {
  private mutating func check() {
    let awake = threads.count { $0 == .awake || $0 == .starting }
    // Woken workers count as asleep until they notice the wake.
    let asleep = threads.count { $0 == .asleep }
    let starts = permits.requests.count { $0 == .start }
    if awake > highestLimit { fault = "\(awake) workers awake, limit \(highestLimit)" }
    if state.workers - state.sleeping > highestLimit { fault = "counts too many workers" }
    if state.workers + state.ending != awake + asleep + starts {
      fault = "counts \(state.workers) threads"
    }
    // Each awake worker has a permit, and so has each wake that was sent. A
    // worker that ends needs no permit.
    if permits.out - permits.others != awake + wakes - state.ending { fault = "a permit is lost" }
    let isComing = awake > 0 || wakes > 0 || !permits.requests.isEmpty
    // Work must not wait while all workers sleep and none was woken.
    if state.backlog.count > 0, !isComing, !isRetrying { fault = "work waits without a worker" }
    // Operations in a batch need a monitoring worker, in case their worker is
    // blocked.
    let hasBatch = threads.indices.contains {
      threads[$0] == .awake && workers[$0].batch.count > 1 && !takenBack.contains($0)
    }
    let isFull = state.workers - state.sleeping >= state.width
    let isLookedAt = state.hasMonitor || state.searching > 0 || isRetrying
    if hasBatch, !isFull, !isLookedAt { fault = "no worker monitors a batch" }
    if outcomes.values.contains(where: { $0 > 1 }) { fault = "an operation ended twice" }
  }
}
