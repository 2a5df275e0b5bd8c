/// Records which threads wait for which transaction, loop call, helpers of
/// `apply` or end of a thread, and detects cycles.
///
/// Any thread may use it. Each wait is registered under one lock before its
/// thread sleeps, so the last wait of a cycle to register finds the cycle. A
/// call that is part of the cycle then throws a `WaitCycleError` instead of
/// waiting. O9.
package final class WaitTable: Sendable {
  /// The table of the process.
  package static var shared: WaitTable { processWide.value }

  private static let processWide = ProcessWide { WaitTable() }

  private let state = Locked(WaitState())

  /// Registers that the calling thread is about to wait for `target`. If
  /// `target` is a call that closes a cycle, its `obstacle` is set on return.
  func begin(_ target: PendingWait.Target) -> PendingWait {
    let wait = PendingWait(target)
    let released = state.withLock { $0.begin(wait) }
    guard let released else {
      trap(
        "\(wait.party) waits for itself through closures of postAndWait that loops are running, or "
          + "through threads that join each other; post without waiting, and join with await"
      )
    }
    for call in released { call.parking.wake() }
    return wait
  }

  /// Removes a wait that is over.
  func end(_ wait: PendingWait) { state.withLock { $0.end(wait) } }

  /// Whether the loop of `port` waits for a transaction.
  package func isAwaiting(_ port: LoopPort) -> Bool { state.withLock { $0.isAwaiting(port.core) } }

  /// The number of calls that wait for the loop of `port`.
  package func callCount(_ port: LoopPort) -> Int { state.withLock { $0.callCount(port.core) } }

  /// The number of threads that wait for helpers of `apply`.
  package var helperWaitCount: Int { state.withLock { $0.helperWaitCount } }

  /// The transaction that `loop` waits for and that itself waits for one of
  /// `owners`.
  func awaited(on loop: PortCore, for owners: [any OperationOwner]) -> WaitCycleError.Party? {
    state.withLock { $0.awaited(on: loop, for: owners) }
  }
}

/// One wait of a thread. A thread can have several nested waits, because
/// operations and closures that it runs while waiting may wait too.
final class PendingWait: Sendable {
  /// The object that a thread waits for.
  enum Target: Sendable {
    /// The operations of a transaction, identified by its core, its loop and
    /// its name.
    case transaction(ObjectIdentifier, on: PortCore, name: String)
    case call(LoopCall)
    /// The helpers of an `apply`, identified by the owner of their operations.
    case helpers(any OperationOwner)
    /// The end of a thread with a loop.
    case end(of: JoinableThread)
  }

  let target: Target
  let thread = threadIdentity()
  /// The owners of the operations that cannot end before this wait is over,
  /// innermost first.
  let owners = CurrentOperation.owners
  // Both empty if `party` names an operation instead.
  private let threadName: String
  private let taskName: String?

  init(_ target: Target) {
    self.target = target
    threadName = owners.isEmpty ? System.threadName : ""
    taskName = owners.isEmpty ? currentTaskName : nil
  }

  /// Whether the wait still blocks other waits. False once the call was
  /// answered, even if its thread has not resumed yet.
  var isPending: Bool {
    if case .call(let call) = target { call.isPending } else { true }
  }

  /// Whether `target` cannot complete before this wait is over.
  func blocks(_ target: Target) -> Bool {
    guard isPending else { return false }
    switch target {
    // A blocked thread cannot answer calls to any of its loops.
    case .call(let call): return call.loop.thread == thread
    case .transaction(let core, _, _): return owners.contains { $0.isAwaited(by: core) }
    case .helpers(let owner): return owners.contains { $0 === owner }
    case .end(of: let joined): return joined.identity == thread
    }
  }

  /// The name used in error messages.
  var party: WaitCycleError.Party {
    if case .transaction(_, _, let name) = target { return .transaction(name) }
    if let owner = owners.first { return .operation(owner.title) }
    if let taskName { return .task(taskName, thread: threadName) }
    return .loop(threadName)
  }
}

/// The registered waits, protected by a lock.
struct WaitState {
  private var waits: [PendingWait] = []

  /// Adds `wait` and abandons calls until the wait is part of no cycle. Returns
  /// the calls whose threads must be woken. Returns nil if loops are already
  /// running all calls of a cycle, so that no call can be abandoned.
  mutating func begin(_ wait: PendingWait) -> [LoopCall]? {
    waits.append(wait)
    var released: [LoopCall] = []
    while let cycle = cycle(of: wait) {
      guard let call = giveUp(in: cycle) else { return nil }
      released.append(call)
    }
    return released
  }

  /// Removes `wait`.
  mutating func end(_ wait: PendingWait) { waits.removeAll { $0 === wait } }

  func awaited(on loop: PortCore, for owners: [any OperationOwner]) -> WaitCycleError.Party? {
    waits.last { wait in
      guard case .transaction(let core, let waiting, _) = wait.target, waiting === loop else {
        return false
      }
      return owners.contains { $0.isAwaited(by: core) }
    }?.party
  }

  func isAwaiting(_ loop: PortCore) -> Bool {
    waits.contains { wait in
      if case .transaction(_, let waiting, _) = wait.target { waiting === loop } else { false }
    }
  }

  func callCount(_ loop: PortCore) -> Int {
    waits.count { wait in
      if case .call(let call) = wait.target { call.loop === loop } else { false }
    }
  }

  var helperWaitCount: Int {
    waits.count { if case .helpers = $0.target { true } else { false } }
  }

  /// Returns a shortest cycle that contains `wait`, or nil if there is none.
  /// The cycle starts with `wait`. Each wait is blocked by the next, and the
  /// last is blocked by the first. Uses breadth-first search.
  private func cycle(of wait: PendingWait) -> [PendingWait]? {
    var reached = [(wait: wait, from: -1)]
    var next = 0
    while next < reached.count {
      let target = reached[next].wait.target
      for other in waits where other.blocks(target) {
        if other === wait { return path(to: next, in: reached) }
        if !reached.contains(where: { $0.wait === other }) { reached.append((other, next)) }
      }
      next += 1
    }
    return nil
  }

  private func path(to end: Int, in reached: [(wait: PendingWait, from: Int)]) -> [PendingWait] {
    var path: [PendingWait] = []
    var index = end
    while index >= 0 {
      path.append(reached[index].wait)
      index = reached[index].from
    }
    return path.reversed()
  }

  /// Abandons one call of `cycle`. Tries the first wait, and then the waits
  /// from last to first.
  private func giveUp(in cycle: [PendingWait]) -> LoopCall? {
    let last = cycle.count - 1
    for index in [0] + (0...last).reversed() {
      guard case .call(let call) = cycle[index].target else { continue }
      let obstacle = cycle[index == last ? 0 : index + 1].party
      if call.giveUp(obstacle) { return call }
    }
    return nil
  }
}
