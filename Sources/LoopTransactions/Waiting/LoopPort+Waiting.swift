/// Thrown by `LoopPort.postAndWait` when the wait could never end: the loop
/// waits for the caller, directly or through other waits.
///
/// A value type: use it on any thread.
public struct WaitCycleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A participant of the cycle.
  public enum Party: Hashable, Sendable, CustomStringConvertible {
    /// An operation, by its name. An operation that a task awaits has the name
    /// of the task, if the task has one.
    case operation(String)
    /// A task that has a name, and the name and number of the thread it runs
    /// on.
    case task(String, thread: String)
    /// An async transaction, by its name.
    case transaction(String)
    /// A loop, by the name and number of its thread.
    case loop(String)

    /// The kind of participant and its name.
    public var description: String {
      switch self {
      case .operation(let name): "operation '\(name)'"
      case .task(let name, let thread): "task '\(name)' on thread '\(thread)'"
      case .transaction(let name): "transaction '\(name)'"
      case .loop(let thread): "the loop of thread '\(thread)'"
      }
    }
  }

  /// The caller of `LoopPort.postAndWait`: the operation or the task with a name
  /// that made the call, or otherwise the calling thread's loop.
  public let caller: Party
  /// The participant that blocks the called loop and waits for the caller: a
  /// transaction in `waitUntilComplete`, or an operation, a task or the loop
  /// itself in a `postAndWait` or in a `join()` of a thread.
  public let obstacle: Party

  package init(caller: Party, obstacle: Party) {
    self.caller = caller
    self.obstacle = obstacle
  }

  /// The error message.
  public var description: String {
    """
    LoopPort.postAndWait: \(caller) waits for a loop that is blocked by \(obstacle), which waits \
    for \(caller); post without waiting, or return the value to a completion
    """
  }
}

extension LoopPort {
  /// Runs `body` on the loop and returns its result.
  ///
  /// Call from any thread except the loop's. Blocks the calling thread until
  /// the loop has run `body`. The loop runs `body` like a post. An operation
  /// that calls this occupies its worker until then, so prefer to return a
  /// value to a completion. A loop whose thread calls this makes no ticks until
  /// then.
  ///
  /// See also: `DispatchQueue.sync` is the counterpart in Dispatch. It deadlocks
  /// where this throws a `WaitCycleError`.
  ///
  /// - Parameters:
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called once, on the loop.
  /// - Throws: The error of `body`. `PostError` if the loop is closed, or is
  ///   released without `close()` before `body` runs. `WaitCycleError`, without
  ///   running `body`, if the loop waits for the caller. That is the case while
  ///   the loop is in `waitUntilComplete` for a transaction of the calling
  ///   operation, in a `postAndWait` to the caller's loop, or in a `join()` of
  ///   the caller's thread, directly or through other loops and operations.
  public func postAndWait<Value: Sendable>(
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    if core.isOnThread {
      // A thread that started after the loop's has ended may have its identity.
      if core.didLeaveThread { throw refusal }
      try refuseOnThread()
    }
    // Written on the loop before the caller is woken, and read afterwards.
    nonisolated(unsafe) var result: Result<Value, any Error>?
    let call = LoopCall(to: core, at: SourcePlace(fileID, line)) { result = Result(catching: body) }
    // Registered before the loop can see the call, so that a wait inside `body`
    // finds this wait.
    let wait = WaitTable.shared.begin(.call(call))
    defer { WaitTable.shared.end(wait) }
    if let obstacle = call.obstacle { throw WaitCycleError(caller: wait.party, obstacle: obstacle) }
    guard core.call(loopTakesCall, with: call) else { throw refusal }
    core.tick { call.isPending }
    call.parking.sleep()
    if let obstacle = call.obstacle { throw WaitCycleError(caller: wait.party, obstacle: obstacle) }
    guard let result else { throw PostError.closed }
    return try result.get()
  }

  /// Throws if the loop's thread runs an operation that the loop waits for.
  /// Otherwise traps.
  private func refuseOnThread() throws {
    let owners = CurrentOperation.owners
    guard let owner = owners.first,
      let obstacle = WaitTable.shared.awaited(on: core, for: owners)
    else {
      trap(
        "LoopPort.postAndWait: must not be called on the loop's own thread; call the closure directly"
      )
    }
    throw WaitCycleError(caller: .operation(owner.title), obstacle: obstacle)
  }
}

private func loopTakesCall(_ loop: UnsafeRawPointer, _ call: UnsafeRawPointer) {
  let call = call.object(as: LoopCall.self)
  guard call.claim() else { return }
  call.answer()
  call.finish()
}

/// A call that another thread makes to a loop. The thread waits until the loop
/// has answered it.
final class LoopCall: AwaitedCall, @unchecked Sendable {
  // @unchecked: `stage` has a lock, `body` is used on the loop only, and the other
  // properties are constant.

  private enum Stage {
    case waiting
    /// The loop is running the call.
    case claimed
    /// The call has run, and its caller is being woken.
    case answered
    /// The call was abandoned because its loop waits for this party.
    case gaveUp(WaitCycleError.Party)
  }

  let loop: PortCore
  let place: SourcePlace?
  let parking = Parking()
  private let stage = Locked(Stage.waiting)
  private var body: (() -> Void)?
  // The caller's operations, which cannot end before the call is answered.
  private let owners = CurrentOperation.owners

  /// Creates a call of `body` from the calling thread.
  init(to loop: PortCore, at place: SourcePlace, _ body: @escaping () -> Void) {
    self.loop = loop
    self.place = place
    self.body = body
  }

  /// Claims the call for the loop. Returns false if the caller no longer waits.
  func claim() -> Bool {
    stage.withLock {
      guard case .waiting = $0 else { return false }
      $0 = .claimed
      return true
    }
  }

  /// Wakes the caller, after the loop has run the call.
  func finish() {
    stage.withLock { $0 = .answered }
    parking.wake()
  }

  /// Abandons the call because its loop waits for `obstacle`. Returns false if
  /// the loop has claimed it.
  func giveUp(_ obstacle: WaitCycleError.Party) -> Bool {
    stage.withLock {
      guard case .waiting = $0 else { return false }
      $0 = .gaveUp(obstacle)
      return true
    }
  }

  /// Wakes the caller without a result.
  func wasRefused() {
    if claim() { finish() }
  }

  /// Whether the caller must keep waiting.
  var isPending: Bool {
    stage.withLock {
      switch $0 {
      case .waiting, .claimed: true
      case .answered, .gaveUp: false
      }
    }
  }

  /// The party the loop waits for, if the call was abandoned.
  var obstacle: WaitCycleError.Party? {
    stage.withLock {
      if case .gaveUp(let obstacle) = $0 { return obstacle }
      return nil
    }
  }

  /// Runs the call. Loop thread only.
  func answer() {
    if let body = body.take() { CurrentOperation.with(owners[...], body) }
  }
}
