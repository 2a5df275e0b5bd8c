/// Two waits that wait for each other, directly or by way of others.
///
/// A value: make and read it on any thread.
public struct WaitCycleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One side of the cycle.
  public enum Party: Hashable, Sendable, CustomStringConvertible {
    /// An operation, by its name.
    case operation(String)
    /// An async transaction, by its name.
    case transaction(String)
    /// A loop, by its thread: the name and number that the system shows.
    case loop(String)

    /// What it is, and its name.
    public var description: String {
      switch self {
      case .operation(let name): "operation '\(name)'"
      case .transaction(let name): "transaction '\(name)'"
      case .loop(let thread): "the loop of thread '\(thread)'"
      }
    }
  }

  /// Called `LoopPort.postAndWait`: an operation, or a loop whose thread called it
  /// outside of any operation.
  public let caller: Party
  /// Keeps the called loop from answering, and waits for the caller: a transaction in
  /// `waitUntilComplete`, or an operation or the loop itself in a `postAndWait`.
  public let obstacle: Party

  package init(caller: Party, obstacle: Party) {
    self.caller = caller
    self.obstacle = obstacle
  }

  /// What it is, and what to do about it.
  public var description: String {
    """
    LoopPort.postAndWait: \(caller) waits on a loop that is held up by \(obstacle), which waits \
    for \(caller); post without waiting, or return a value to a completion
    """
  }
}

extension LoopPort {
  /// Runs `body` on the loop, and returns what it makes.
  ///
  /// Call from any thread but the loop's. The loop comes round as for a post; the
  /// caller sleeps until then. From an operation, prefer to return a value: it keeps
  /// its worker meanwhile. On another loop's thread that loop does nothing else until
  /// the call returns.
  ///
  /// - Throws: What `body` throws; `PostError` if the loop is closed, or is
  ///   released without `close()` before `body` runs; `WaitCycleError`,
  ///   and `body` does not run, if the loop waits for the caller: by `waitUntilComplete`
  ///   for a transaction of the calling operation, or by a `postAndWait` of its own to
  ///   the caller's loop. Several loops and operations may be in between.
  public func postAndWait<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    if core.isOnThread { try refuseOnThread() }
    let call = ValueCall(loop: core, body)
    // Before the loop may know of the call: what its body waits for sees this wait.
    let wait = WaitTable.shared.begin(.call(call))
    defer { WaitTable.shared.end(wait) }
    if let obstacle = call.obstacle { throw WaitCycleError(caller: wait.party, obstacle: obstacle) }
    var item = PostedItem(loopTakesCall, call)
    guard core.append(item) else {
      item.drop()
      throw refusal
    }
    call.parking.sleep()
    if let obstacle = call.obstacle { throw WaitCycleError(caller: wait.party, obstacle: obstacle) }
    guard let value = try call.consumeResult() else { throw PostError.closed }
    return value
  }

  /// The loop's thread runs an operation that it waits for, or the caller erred.
  private func refuseOnThread() throws {
    let owners = CurrentOperation.owners
    guard let owner = owners.first,
      let obstacle = WaitTable.shared.awaited(on: core, for: owners)
    else {
      trap(
        "LoopPort.postAndWait: called on the loop itself, which would wait forever; call the closure directly"
      )
    }
    throw WaitCycleError(caller: .operation(owner.title), obstacle: obstacle)
  }
}

private func loopTakesCall(_ loop: UnsafeRawPointer, _ call: UnsafeRawPointer) {
  let call = Unmanaged<LoopCall>.fromOpaque(call).takeUnretainedValue()
  guard call.claim() else { return }
  call.answer()
  call.finish()
}
