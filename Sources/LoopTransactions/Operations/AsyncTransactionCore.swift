/// What workers know of an async transaction.
final class AsyncTransactionCore: @unchecked Sendable {
  // @unchecked: `transaction` is touched on the loop's thread only, `parking` set
  // there before the state says that it is awaited; the rest are constants.

  let loop: PortCore
  let state = Locked(AsyncTransactionState())
  var parking: Parking?
  unowned(unsafe) var transaction: AsyncTransaction?  // loop only

  init(loop: PortCore) { self.loop = loop }

  /// One of the operations ended, and what it held is released.
  ///
  /// Call from any thread.
  func operationEnded() { perform(state.withLock { $0.end() }) }

  /// Does what the state wants.
  ///
  /// Call from any thread.
  func perform(_ action: AsyncTransactionState.Action) {
    switch action {
    case .none: break
    case .wakeWaiter: parking?.wake()
    case .tellLoop:
      var item = PostedItem(operationsHaveEnded, self)
      // Refused by a loop that is closing, which completes it by itself.
      if !loop.append(item) { item.drop() }
    }
  }
}

private func operationsHaveEnded(_ loop: UnsafeRawPointer, _ core: UnsafeRawPointer) {
  let core = Unmanaged<AsyncTransactionCore>.fromOpaque(core).takeUnretainedValue()
  core.transaction?.completeIfEnded()
}
