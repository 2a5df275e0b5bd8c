import Synchronization

/// How many workers may be awake in the process, whatever their schedulers.
///
/// A worker needs a permit to be awake. A scheduler that finds none left is queued,
/// and is handed one by whoever next gives his up. Any thread may use it. O1.
package final class WorkerPermits: Sendable {
  /// Those of the process.
  package static var shared: WorkerPermits { processWide.value }

  private static let processWide = ProcessWide { WorkerPermits(limit: 2 * ActiveCores.count) }

  private let state: Locked<PermitState>
  // Whether somebody waits; a hint, for workers between two operations.
  private let contended = Atomic<Bool>(false)

  package init(limit: Int) { state = Locked(PermitState(limit: limit)) }

  /// How many may be out.
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

  /// Whether a worker should give up its permit between two operations.
  var isContended: Bool { contended.load(ordering: .relaxed) }

  /// Takes a permit for `core`, or has it told later.
  func acquire(for core: SchedulerCore, _ action: SchedulerState.WorkerAction) -> Bool {
    change { $0.acquire(PermitState.Request(core: core, action: action)) }
  }

  /// Gives a permit back.
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

/// The permits behind their lock.
struct PermitState {
  /// A scheduler that may go on when a permit is left.
  struct Request {
    let core: SchedulerCore
    /// What it was about to do.
    let action: SchedulerState.WorkerAction
  }

  var limit: Int
  private(set) var inUse = 0
  private var requests: [Request] = []

  init(limit: Int) { self.limit = limit }

  var isContended: Bool { !requests.isEmpty || inUse > limit }

  /// Whether `request` has its permit now; else it waits behind the others.
  mutating func acquire(_ request: Request) -> Bool {
    if inUse < limit, requests.isEmpty {
      inUse += 1
      return true
    }
    requests.append(request)
    return false
  }

  /// Takes one permit back; who is to be told.
  mutating func release() -> [Request] {
    inUse -= 1
    assert(inUse >= 0, "WorkerPermits: a worker gives its permit back once")
    return grantRequests()
  }

  /// Those that wait and may go on.
  mutating func grantRequests() -> [Request] {
    let count = max(0, min(limit - inUse, requests.count))
    guard count > 0 else { return [] }
    inUse += count
    defer { requests.removeFirst(count) }
    return Array(requests.prefix(count))
  }
}
