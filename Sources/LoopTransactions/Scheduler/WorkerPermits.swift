import Synchronization

/// Limits how many workers are awake in the process, across all schedulers.
///
/// A worker needs a permit to be awake. If all permits are in use, the
/// scheduler is queued until it can have one. Any thread may use this. O1.
package final class WorkerPermits: Sendable {
  /// The permits of the process.
  package static var shared: WorkerPermits { processWide.value }

  private static let processWide = ProcessWide { WorkerPermits(limit: 2 * ActiveCores.count) }

  private let state: Locked<PermitState>
  // Whether a scheduler waits for a permit. A hint for workers between
  // operations.
  private let contended = Atomic<Bool>(false)

  /// How long no operation may begin or end before that is reported, in
  /// nanoseconds.
  private let stallTime: UInt64
  private let report: @Sendable (String) -> Void
  private let stall = Locked(PermitStall())

  // 1 s: the report comes 1 to 2 s after the last change. Not measured.
  package init(
    limit: Int,
    stallTime: UInt64 = 1_000_000_000,
    report: @escaping @Sendable (String) -> Void = System.logToStandardError
  ) {
    state = Locked(PermitState(limit: limit))
    self.stallTime = stallTime
    self.report = report
  }

  /// How many permits may be in use.
  package var limit: Int {
    get { state.withLock { $0.limit } }
    set {
      let granted = change { state in
        state.limit = newValue
        return state.grantRequests()
      }
      for request in granted { request.core.permitWasGranted(request.action) }
    }
  }

  /// Whether a worker should release its permit between two operations.
  var isContended: Bool { contended.load(ordering: .relaxed) }

  /// Acquires a permit for `core`. If all permits are in use, returns false and
  /// calls `core.permitWasGranted(_:)` later.
  func acquire(for core: SchedulerCore, _ action: SchedulerState.WorkerAction) -> Bool {
    change { $0.acquire(PermitState.Request(core: core, action: action)) }
  }

  /// Releases a permit.
  func release() {
    for request in change({ $0.release() }) { request.core.permitWasGranted(request.action) }
  }

  private func change<Result>(_ body: (inout PermitState) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      contended.store(state.isContended, ordering: .relaxed)
      return result
    }
  }
}

// A limit that stalls: operations hold all permits and wait for operations that
// get none.
extension WorkerPermits {
  /// Includes the operations of `core` in reports.
  func watch(_ core: SchedulerCore) {
    stall.withLock { $0.cores[ObjectIdentifier(core)] = .passUnretained(core) }
  }

  /// Ends what `watch(_:)` began.
  func unwatch(_ core: SchedulerCore) {
    stall.withLock { _ = $0.cores.removeValue(forKey: ObjectIdentifier(core)) }
  }

  /// Checks for a stall from now on, until no scheduler waits for a permit. Call
  /// after a scheduler was refused one.
  func arm(_ retries: WorkerRetries) {
    let wasArmed = stall.withLock { stall in
      defer { stall.isArmed = true }
      return stall.isArmed
    }
    if !wasArmed { checkLater(retries) }
  }

  private func checkLater(_ retries: WorkerRetries) {
    retries.call(after: stallTime) { [self] in if check() { checkLater(retries) } }
  }

  /// Reports a stall, if no operation has begun or ended since the last check.
  /// Returns false if no scheduler waits for a permit.
  @discardableResult
  package func check() -> Bool {
    // Released after the lock: a scheduler that is released calls `unwatch(_:)`.
    var waiting: [SchedulerCore] = []
    let error = stall.withLock { stall -> PermitStallError? in
      // A scheduler that is refused from here on calls `arm(_:)` after this.
      let limit = state.withLock { state in
        waiting = state.waiting
        return state.limit
      }
      if waiting.isEmpty { stall.end() }
      return stall.isArmed && stall.check() ? stall.error(waiting, limit) : nil
    }
    if let error { report("\(error)") }
    return !waiting.isEmpty
  }
}

/// The state of the check for a stall, protected by a lock.
///
/// The scheduler's lock and the lock of a flight are acquired while it is held.
private struct PermitStall {
  // Unretained, because each removes itself before it is released.
  var cores: [ObjectIdentifier: Unmanaged<SchedulerCore>] = [:]
  var isArmed = false
  private var wasReported = false
  private var progress: UInt64?

  mutating func end() { (isArmed, wasReported, progress) = (false, false, nil) }

  /// Returns whether a stall must be reported: nothing has begun or ended since
  /// the last call, and this was not reported.
  mutating func check() -> Bool {
    let now = cores.values.reduce(into: 0) { sum, core in
      sum &+= core._withUnsafeGuaranteedRef { $0.progress }
    }
    defer { progress = now }
    if progress != now { wasReported = false }
    guard progress == now, !wasReported else { return false }
    wasReported = true
    return true
  }

  func error(_ waiting: [SchedulerCore], _ limit: Int) -> PermitStallError {
    let running = cores.values.compactMap { $0._withUnsafeGuaranteedRef { $0.runningDescription } }
    return PermitStallError(
      limit: limit,
      running: running.sorted().joined(separator: "; "),
      waiting: Set(waiting.map(\.waitingDescription)).sorted().joined(separator: "; ")
    )
  }
}

/// A limit on workers that stalls. Reported, not thrown.
private struct PermitStallError: Error, CustomStringConvertible {
  let limit: Int
  let running: String
  let waiting: String

  var description: String {
    """
    OperationScheduler: no operation has begun or ended for a second or more, because operations \
    hold all \(limit) permits of processWorkerLimit: \(running); waiting for a permit: \(waiting). \
    An operation must not block until an operation of another scheduler has run: await it, or \
    raise processWorkerLimit
    """
  }
}

/// The permits, protected by a lock.
struct PermitState {
  /// A scheduler that waits for a permit.
  struct Request {
    let core: SchedulerCore
    /// The action for which the scheduler needs the permit.
    let action: SchedulerState.WorkerAction
  }

  var limit: Int
  private(set) var inUse = 0
  private var requests: [Request] = []

  init(limit: Int) { self.limit = limit }

  /// The schedulers that wait for a permit.
  var waiting: [SchedulerCore] { requests.map(\.core) }

  var isContended: Bool { !requests.isEmpty || inUse > limit }

  /// Returns whether `request` gets a permit now. If not, it is queued.
  mutating func acquire(_ request: Request) -> Bool {
    if inUse < limit, requests.isEmpty {
      inUse += 1
      return true
    }
    requests.append(request)
    return false
  }

  /// Releases a permit and returns the requests that it grants.
  mutating func release() -> [Request] {
    inUse -= 1
    assert(inUse >= 0, "WorkerPermits: more permits released than acquired: \(inUse)")
    return grantRequests()
  }

  /// Dequeues the requests that can be granted.
  mutating func grantRequests() -> [Request] {
    let count = max(0, min(limit - inUse, requests.count))
    guard count > 0 else { return [] }
    inUse += count
    defer { requests.removeFirst(count) }
    return Array(requests.prefix(count))
  }
}
