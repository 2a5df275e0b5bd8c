/// Which loops wait for which transactions, and which operations wait on loops.
///
/// Any thread may use it. A circle of the two would never end: the call of the
/// operation that closes it is let go, with both names. O9.
package final class WaitTable: Sendable {
  /// The one of the process.
  package static var shared: WaitTable { processWide.value }

  private static let processWide = ProcessWide { WaitTable() }

  private let state = Locked(WaitState())

  /// The loop of `transaction` is about to sleep until that has ended.
  func loopBeginsToWait(_ transaction: AsyncTransactionCore, _ name: StaticString) {
    let calls = state.withLock { $0.loopBegins(transaction, "\(name)") }
    for call in calls { call.parking.wake() }
  }

  /// The loop of `transaction` waits no more.
  func loopEndsToWait(_ transaction: AsyncTransactionCore) {
    state.withLock { $0.loopEnds(transaction.loop) }
  }

  /// The calling thread is about to sleep until `call` was answered.
  func callBegins(_ call: LoopCall) { state.withLock { $0.callBegins(call) } }

  /// Whether the loop of `port` waits for a transaction.
  package func isAwaiting(_ port: LoopPort) -> Bool { state.withLock { $0.isAwaiting(port.core) } }

  /// The transaction for which `loop` waits, of those that wait for `owner`.
  func awaited(on loop: PortCore, for owner: OperationOwner) -> String? {
    state.withLock { $0.awaited(on: loop, for: owner) }
  }

  /// How many calls wait on the loop of `port`.
  package func callCount(_ port: LoopPort) -> Int { state.withLock { $0.callCount(port.core) } }

  /// `call` was answered, or let go.
  func callEnds(_ call: LoopCall) { state.withLock { $0.callEnds(call) } }
}

/// The table behind its lock.
struct WaitState {
  private struct Wait {
    let loop: PortCore
    let transaction: AsyncTransactionCore
    let name: String
  }

  private var waits: [Wait] = []
  private var calls: [LoopCall] = []

  /// Adds a loop that waits; the calls that can not be answered now.
  mutating func loopBegins(_ transaction: AsyncTransactionCore, _ name: String) -> [LoopCall] {
    waits.append(Wait(loop: transaction.loop, transaction: transaction, name: name))
    return calls.filter { call in
      guard call.loop === transaction.loop, let name = circle(of: call) else { return false }
      return call.letGo(name)
    }
  }

  /// Removes the innermost wait of `loop`.
  mutating func loopEnds(_ loop: PortCore) {
    if let index = waits.lastIndex(where: { $0.loop === loop }) { waits.remove(at: index) }
  }

  /// Adds a call, which is let go at once if it closes a circle.
  mutating func callBegins(_ call: LoopCall) {
    calls.append(call)
    if let name = circle(of: call), call.letGo(name) { call.parking.wake() }
  }

  /// Removes a call.
  mutating func callEnds(_ call: LoopCall) { calls.removeAll { $0 === call } }

  func awaited(on loop: PortCore, for owner: OperationOwner) -> String? {
    waits.last { $0.loop === loop && owner.isAwaited(by: $0.transaction) }?.name
  }

  func isAwaiting(_ loop: PortCore) -> Bool { waits.contains { $0.loop === loop } }

  func callCount(_ loop: PortCore) -> Int { calls.count { $0.loop === loop } }

  /// The transaction that `call` waits for, and which waits for its operation, by
  /// other loops or at once.
  private func circle(of call: LoopCall) -> String? {
    guard let owner = call.owner else { return nil }
    var reached: [PortCore] = [call.loop]
    var next = 0
    while next < reached.count {
      let loop = reached[next]
      next += 1
      for wait in waits where wait.loop === loop {
        if owner.isAwaited(by: wait.transaction) { return wait.name }
        for other in calls where other.owner?.isAwaited(by: wait.transaction) == true {
          if !reached.contains(where: { $0 === other.loop }) { reached.append(other.loop) }
        }
      }
    }
    return nil
  }
}
