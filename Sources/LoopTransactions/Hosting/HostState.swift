/// Decides when a hosted loop makes a turn, and how the turn is handed to the
/// host.
///
/// At most one turn is pending: handed over and not begun. Each turn that is
/// handed over has a number, so that the end of an earlier one has no effect.
/// `now` is in nanoseconds of a steady clock, and `thread` is the calling thread.
package struct HostState {
  package enum Action: Equatable {
    case none
    /// Hand over the turn with this number.
    case execute(UInt64)
    /// Hand over the turn with this number, behind the host's ready events.
    case executeLater(UInt64)
    /// Let the waiter call at this time.
    case wait(until: UInt64)
    /// Let the waiter call when the descriptor is readable, or at this time.
    case watch(until: UInt64)
    /// Ask whether the host holds the turn with this number.
    case check(UInt64)
    /// The host has ended. Refuse posts.
    case refuse
    /// Release the loop, because nothing can close it.
    case abandon
  }

  /// The result of `begin`.
  package enum Beginning: Equatable {
    case turn, close
    /// Do nothing.
    case ignored
  }

  private enum Submission: Equatable {
    case none
    /// The waiter hands it over at `laterDue`.
    case delayed
    case pending(UInt64)
  }

  /// A call of `execute` that has not returned.
  private struct Call {
    let number: UInt64
    let thread: UInt
    var ranWork = false
    var droppedWork = false
  }

  private let canExecuteLater: Bool
  private let checksHost: Bool
  /// Whether the host owns the loop, and so must release it.
  private let ownsLoop: Bool

  private var submission = Submission.none
  private var call: Call?
  private var lastNumber: UInt64 = 0
  private var isTurning = false
  // Whether a turn was requested during a turn.
  private var wasRequested = false
  private var isClosing = false
  package private(set) var isRefused = false
  package private(set) var isEnded = false

  // The times at which the waiter must call, in nanoseconds; `.max` is never.
  private var turnDue = UInt64.max
  private var laterDue = UInt64.max
  private var checkDue = UInt64.max

  // The time of the turns since the host last had time for its own events.
  private var busyTime: UInt64 = 0
  private var turnStart: UInt64 = 0
  private var turnEnd: UInt64 = 0

  package init(canExecuteLater: Bool, checksHost: Bool, ownsLoop: Bool) {
    self.canExecuteLater = canExecuteLater
    self.checksHost = checksHost
    self.ownsLoop = ownsLoop
  }

  // The waiter hands over a turn this much later if the host has no
  // `executeLater`. 0.2 ms is longer than a host needs from the end of a turn to
  // its next poll. Not measured.
  package static let laterDelay: UInt64 = 200_000

  // Once turns have taken 0.5 ms in a row, the next turn goes behind the host's
  // own events. These therefore wait 0.5 ms and one budget at most. C8.
  package static let longestBusyTime: UInt64 = 500_000

  // A host that had no turn for 0.1 ms is taken to have polled its own events.
  // Not measured.
  package static let pollGap: UInt64 = 100_000

  // 0.1 s is longer than a frame, and shorter than a delay that a player
  // notices. Not measured.
  package static let checkInterval: UInt64 = 100_000_000
}

extension HostState {
  /// Called when the loop has work, on any thread.
  package mutating func request(at now: UInt64, by thread: UInt) -> Action {
    if isRefused { return .refuse }
    guard !isEnded, submission == .none else { return .none }
    if isTurning {
      wasRequested = true
      return .none
    }
    if now > turnEnd &+ Self.pollGap { busyTime = 0 }
    return busyTime > Self.longestBusyTime
      ? handOverLater(at: now, by: thread) : handOver(by: thread)
  }

  /// Called when the loop must be closed, on any thread.
  package mutating func requestClose(at now: UInt64, by thread: UInt) -> Action {
    isClosing = true
    return request(at: now, by: thread)
  }

  /// Called when the host runs the turn with this number.
  package mutating func begin(
    _ number: UInt64,
    at now: UInt64,
    by thread: UInt
  ) -> Beginning {
    guard submission == .pending(number), !isEnded else { return .ignored }
    if call?.number == number, call?.thread == thread {
      call?.ranWork = true
      return .ignored
    }
    submission = .none
    checkDue = .max
    // In a callback of the loop, which runs the host recursively. The outer turn
    // asks for the timeout at its end.
    if isTurning { return .ignored }
    isTurning = true
    turnStart = now
    return isClosing ? .close : .turn
  }

  /// Called after a turn, with the time that the host may wait.
  package mutating func end(timeout: UInt64, at now: UInt64, by thread: UInt) -> Action {
    isTurning = false
    if isEnded { return .none }
    if isRefused { return .wait(until: 0) }
    busyTime &+= now &- turnStart
    turnEnd = now
    defer { wasRequested = false }
    if timeout == 0 || isClosing { return handOverLater(at: now, by: thread) }
    if wasRequested { return request(at: now, by: thread) }
    return watch(timeout: timeout, at: now)
  }

  /// Called outside of turns, when the timeout may have become shorter.
  package mutating func change(timeout: UInt64, at now: UInt64, by thread: UInt) -> Action {
    if timeout == 0 { return request(at: now, by: thread) }
    return isEnded || isRefused ? .none : watch(timeout: timeout, at: now)
  }

  /// Called when the turn with this number was handed over, by the waiter or by
  /// another thread.
  package mutating func didCall(
    _ number: UInt64,
    isTaken: Bool,
    at now: UInt64,
    isWaiter: Bool = false
  ) -> Action {
    let call = self.call
    if call?.number == number { self.call = nil }
    if isEnded { return .none }
    if !isTaken { return refuse() }
    guard submission == .pending(number), let call else { return .none }
    if call.ranWork {
      require(
        !isWaiter,
        """
        HostExecutor: execute ran the work on the thread that called it; it must hand the work to \
        the host's thread
        """
      )
      // The waiter hands it over, on its own thread.
      submission = .delayed
      laterDue = now
      return .wait(until: now)
    }
    if call.droppedWork { return refuse() }
    guard checksHost, checkDue == .max else { return .none }
    checkDue = now &+ Self.checkInterval
    return .wait(until: checkDue)
  }

  /// Called when the host has released the turn with this number.
  package mutating func dropped(_ number: UInt64) -> Action {
    guard submission == .pending(number), !isEnded else { return .none }
    guard call?.number != number else {
      call?.droppedWork = true
      return .none
    }
    return refuse()
  }

  /// Called by the waiter.
  package mutating func waiterCalled(
    isReadable: Bool,
    at now: UInt64,
    by thread: UInt
  ) -> (Action, next: UInt64) {
    let action = waiterAction(isReadable: isReadable, at: now, by: thread)
    return (action, isEnded ? .max : min(turnDue, laterDue, checkDue))
  }

  /// Called with the host's answer to `.check`.
  package mutating func didCheck(
    _ number: UInt64,
    isHeld: Bool,
    at now: UInt64,
    by thread: UInt
  ) -> Action {
    guard submission == .pending(number), !isEnded else { return .none }
    guard isHeld else { return handOver(by: thread) }
    checkDue = now &+ Self.checkInterval
    return .wait(until: checkDue)
  }

  /// Called after an attempt to close the loop.
  package mutating func didTryToClose() { isClosing = false }

  /// Called when the loop is no longer hosted.
  package mutating func didEnd() {
    isEnded = true
    submission = .none
  }
}

extension HostState {
  private mutating func handOver(by thread: UInt) -> Action {
    .execute(makeTurn(by: thread))
  }

  private mutating func handOverLater(at now: UInt64, by thread: UInt) -> Action {
    guard submission == .none else { return .none }
    busyTime = 0
    if canExecuteLater { return .executeLater(makeTurn(by: thread)) }
    submission = .delayed
    laterDue = now &+ Self.laterDelay
    return .wait(until: laterDue)
  }

  /// Makes a turn pending, which `thread` hands over, and returns its number.
  private mutating func makeTurn(by thread: UInt) -> UInt64 {
    lastNumber += 1
    submission = .pending(lastNumber)
    call = Call(number: lastNumber, thread: thread)
    return lastNumber
  }

  private mutating func watch(timeout: UInt64, at now: UInt64) -> Action {
    let (due, isNever) = now.addingReportingOverflow(timeout)
    turnDue = isNever ? .max : due
    return .watch(until: min(turnDue, laterDue, checkDue))
  }

  private mutating func refuse() -> Action {
    submission = .none
    isRefused = true
    return .refuse
  }

  private mutating func waiterAction(
    isReadable: Bool,
    at now: UInt64,
    by thread: UInt
  ) -> Action {
    if isEnded { return .none }
    if isRefused {
      guard ownsLoop, !isTurning else { return .none }
      isEnded = true
      return .abandon
    }
    if laterDue <= now {
      laterDue = .max
      if submission == .delayed { return handOver(by: thread) }
    }
    if checkDue <= now {
      checkDue = .max
      if case .pending(let number) = submission, call == nil { return .check(number) }
    }
    guard isReadable || turnDue <= now else { return .none }
    if turnDue <= now { turnDue = .max }
    return request(at: now, by: thread)
  }
}
