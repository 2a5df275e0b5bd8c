import Synchronization

/// What workers know of an async transaction.
final class AsyncTransactionCore: @unchecked Sendable {
  // @unchecked: `transaction` is touched on the loop's thread only, `parking` set
  // there before the state says that it is awaited; the rest are constants and an
  // atomic.

  let loop: PortCore
  var parking: Parking?
  unowned(unsafe) var transaction: AsyncTransaction?  // loop only
  private let word = Atomic<UInt64>(AsyncTransactionState().word)

  init(loop: PortCore) { self.loop = loop }

  /// Where it is. Call from any thread.
  var state: AsyncTransactionState {
    // Acquire: who sees that all have ended sees their outcomes.
    AsyncTransactionState(word: word.load(ordering: .acquiring))
  }

  /// Makes a transition; what follows from it. `body` may be called several times.
  ///
  /// Call from any thread.
  func change<Result>(_ body: (inout AsyncTransactionState) -> Result) -> Result {
    var before = word.load(ordering: .relaxed)
    while true {
      var state = AsyncTransactionState(word: before)
      let result = body(&state)
      // Acquire and release: who ends publishes its outcome, who completes sees them,
      // and those between hand them on.
      let (isDone, now) = word.weakCompareExchange(
        expected: before,
        desired: state.word,
        successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      )
      if isDone { return result }
      before = now
    }
  }

  /// One of the operations ended, and what it held is released.
  ///
  /// Call from any thread.
  func operationEnded() { perform(change { $0.end() }) }

  /// Does what the state wants.
  ///
  /// Call from any thread.
  func perform(_ action: AsyncTransactionState.Action) {
    switch action {
    case .none: break
    case .wakeWaiter: parking?.wake()
    case .postToLoop:
      var item = PostedItem(operationsHaveEnded, self)
      // Refused by a loop that is closing, which completes it by itself.
      if !loop.append(item) { item.drop() }
    }
  }
}

private func operationsHaveEnded(_ loop: UnsafeRawPointer, _ core: UnsafeRawPointer) {
  let core = Unmanaged<AsyncTransactionCore>.fromOpaque(core).takeUnretainedValue()
  guard let transaction = core.transaction else { return }
  transaction.completeIfEnded()
  // It was kept by its loop until then.
  withExtendedLifetime(transaction) {}
}
