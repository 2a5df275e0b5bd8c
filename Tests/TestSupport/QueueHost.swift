package import LoopTransactions

/// A host that runs closures one at a time, when a test asks for it.
///
/// It handles events of its own, which it only counts: like SwiftNIO's event
/// loop, it first runs all work that was handed over, then polls for events, and
/// then takes the work that was handed over for later.
package final class QueueHost: Sendable {
  private struct State {
    var work: [@Sendable () -> Void] = []
    var later: [@Sendable () -> Void] = []
    var polls = 0
    var handedOver = 0
    var isShutDown = false
  }

  private let state = Locked(State())
  private let gate = Gate()

  package init() {}

  /// The number of times the host has polled for its own events.
  package var polls: Int { state.withLock { $0.polls } }

  /// The number of closures handed over so far.
  package var handedOver: Int { state.withLock { $0.handedOver } }

  /// The number of closures that wait.
  package var count: Int { state.withLock { $0.work.count + $0.later.count } }

  /// Describes this host.
  package func executor(
    hasLater: Bool = true,
    keepsThread: Bool = true,
    holdsWork: (@Sendable () -> Bool)? = nil
  ) -> HostExecutor {
    let execute: HostExecutor.Execute = { work in self.add(work, isLater: false) }
    let executeLater: HostExecutor.Execute = { work in self.add(work, isLater: true) }
    return HostExecutor(
      execute: execute,
      executeLater: hasLater ? executeLater : nil,
      holdsWork: holdsWork,
      keepsThread: keepsThread
    )
  }

  /// Refuses work from now on.
  package func shutDown() { state.withLock { $0.isShutDown = true } }

  /// Drops the work that waits.
  package func dropAll() {
    let dropped = state.withLock { state in
      defer { (state.work, state.later) = ([], []) }
      return state.work + state.later
    }
    _ = dropped
  }

  /// Runs one closure, or polls if none is left. Returns false if no closure is
  /// handed over within ten minutes.
  @discardableResult
  package func step() -> Bool {
    guard gate.waitInTime() else { return false }
    next()?()
    return true
  }

  /// Runs until `condition` holds. Returns false if nothing is handed over for
  /// ten minutes.
  package func run(until condition: () -> Bool) -> Bool {
    while !condition() { if !step() { return false } }
    return true
  }

  /// Runs the closures that wait, without blocking.
  package func runWaiting() { while count > 0 { next()?() } }

  private func add(_ work: @escaping @Sendable () -> Void, isLater: Bool) -> Bool {
    let isTaken = state.withLock { state in
      if state.isShutDown { return false }
      if isLater { state.later.append(work) } else { state.work.append(work) }
      state.handedOver += 1
      return true
    }
    if isTaken { gate.open() }
    return isTaken
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if state.work.isEmpty {
        state.polls += 1
        swap(&state.work, &state.later)
      }
      return state.work.isEmpty ? nil : state.work.removeFirst()
    }
  }
}
