/// Which threads wait for what: for a transaction, for a loop's answer, or for the
/// helpers of `apply`.
///
/// Any thread may use it. Each wait is registered before its thread sleeps, under one
/// lock, so of the waits that form a cycle the last one to register finds it. A call
/// of the cycle then throws a `WaitCycleError` instead of waiting. O9.
package final class WaitTable: Sendable {
  /// The one of the process.
  package static var shared: WaitTable { processWide.value }

  private static let processWide = ProcessWide { WaitTable() }

  private let state = Locked(WaitState())

  /// The calling thread is about to wait for `target`. A call that closes a cycle has
  /// an obstacle when this returns.
  func begin(_ target: PendingWait.Target) -> PendingWait {
    let wait = PendingWait(target)
    let released = state.withLock { $0.begin(wait) }
    guard let released else {
      trap("\(wait.party) waits for itself, by way of closures that loops run for postAndWait")
    }
    for call in released { call.parking.wake() }
    return wait
  }

  /// The wait is over.
  func end(_ wait: PendingWait) { state.withLock { $0.end(wait) } }

  /// Whether the loop of `port` waits for a transaction.
  package func isAwaiting(_ port: LoopPort) -> Bool { state.withLock { $0.isAwaiting(port.core) } }

  /// How many calls wait on the loop of `port`.
  package func callCount(_ port: LoopPort) -> Int { state.withLock { $0.callCount(port.core) } }

  /// The transaction for which `loop` waits, of those that wait for one of `owners`.
  func awaited(on loop: PortCore, for owners: [OperationOwner]) -> WaitCycleError.Party? {
    state.withLock { $0.awaited(on: loop, for: owners) }
  }
}

/// One thread that waits. A thread may have several, one within another: operations
/// that it runs meanwhile, and closures that it runs for others, wait too.
final class PendingWait: Sendable {
  /// What the thread waits for.
  enum Target: Sendable {
    /// The operations of a transaction, by its core, its loop and its name.
    case transaction(AnyObject & Sendable, on: PortCore, name: String)
    case call(LoopCall)
    /// The helpers of an `apply`, by the owner of their operations.
    case helpers(OperationOwner)
  }

  let target: Target
  let thread = threadIdentity()
  /// Of the operations that cannot end before this wait is over, innermost first.
  let owners = CurrentOperation.owners
  // Only a loop's thread that runs no operation is called by it.
  private let threadName: String

  init(_ target: Target) {
    self.target = target
    threadName = owners.isEmpty ? System.threadName : ""
  }

  /// Whether its thread waits still: one whose call was answered may not have run since.
  var isPending: Bool {
    if case .call(let call) = target { call.isPending } else { true }
  }

  /// Whether `target` is not reached before this wait is over.
  func blocks(_ target: Target) -> Bool {
    guard isPending else { return false }
    switch target {
    // Every loop of the thread.
    case .call(let call): return call.loop.thread == thread
    case .transaction(let core, _, _): return owners.contains { $0.isAwaited(by: core) }
    case .helpers(let owner): return owners.contains { $0 === owner }
    }
  }

  /// What a diagnosis calls it.
  var party: WaitCycleError.Party {
    if case .transaction(_, _, let name) = target { return .transaction(name) }
    return owners.first.map { .operation($0.title) } ?? .loop(threadName)
  }
}

/// The table behind its lock.
struct WaitState {
  private var waits: [PendingWait] = []

  /// Adds `wait`, and has calls give up until it is part of no cycle; the calls to
  /// wake. Nil if no call of a cycle can give up: loops are running all of them.
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

  func awaited(on loop: PortCore, for owners: [OperationOwner]) -> WaitCycleError.Party? {
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

  /// The waits of a cycle that `wait` is part of, each blocked by the next, and the
  /// last by the first, which is `wait`. Breadth first, so a shortest one.
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

  /// Has a call of `cycle` give up: the first wait's, or else the one nearest to it.
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

extension LoopCall: Unreflected {}
extension WaitTable: Unreflected {}
