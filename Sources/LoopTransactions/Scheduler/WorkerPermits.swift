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

  package init(limit: Int) { state = Locked(PermitState(limit: limit)) }

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
