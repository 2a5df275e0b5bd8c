/// An operation waits on a loop that waits for the operation.
///
/// A value: make and read it on any thread.
public struct WaitCycle: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation that called `LoopPort.postAndWait`.
  public let operation: String
  /// The transaction whose loop waits until it is complete.
  public let transaction: String

  /// What it is, and what to do about it.
  public var description: String {
    """
    LoopPort.postAndWait: operation '\(operation)' waits on a loop that waits for transaction \
    '\(transaction)', which waits for the operation; return a value to its completion instead
    """
  }
}

extension LoopPort {
  /// Runs `body` on the loop, and returns what it makes.
  ///
  /// Call from any thread but the loop's. The loop comes round as for a post; the
  /// caller sleeps until then. From an operation, prefer to return a value: it keeps
  /// its worker meanwhile.
  ///
  /// - Throws: What `body` throws; `Refusal` if the loop is closed, or is released
  ///   without `close()` before `body` runs; `WaitCycle`
  ///   from an operation that the loop waits for in `waitUntilComplete`, where
  ///   `body` does not run.
  public func postAndWait<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    let owner = CurrentOperation.owner
    if core.isOnThread { try refuseOnThread(owner) }
    let call = ValueCall(loop: core, owner: owner, body)
    var item = PostedItem(loopTakesCall, call)
    guard core.append(item) else {
      item.drop()
      throw refusal
    }
    WaitTable.shared.callBegins(call)
    call.parking.sleep()
    WaitTable.shared.callEnds(call)
    if let name = call.obstacle {
      throw WaitCycle(operation: owner?.title ?? "", transaction: name)
    }
    guard let value = try call.takeResult() else { throw Refusal.closed }
    return value
  }

  /// The loop's thread runs an operation that it waits for, or the caller erred.
  private func refuseOnThread(_ owner: OperationOwner?) throws {
    guard let owner, let name = WaitTable.shared.awaited(on: core, for: owner) else {
      trap(
        "LoopPort.postAndWait: called on the loop itself, which would wait for ever; call it directly"
      )
    }
    throw WaitCycle(operation: owner.title, transaction: name)
  }
}

private func loopTakesCall(_ loop: UnsafeRawPointer, _ call: UnsafeRawPointer) {
  let call = Unmanaged<LoopCall>.fromOpaque(call).takeUnretainedValue()
  guard call.take() else { return }
  call.answer()
  call.parking.wake()
}
