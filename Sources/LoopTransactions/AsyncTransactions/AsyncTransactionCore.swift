import Synchronization

/// The part of an async transaction that its operations retain.
final class AsyncTransactionCore: @unchecked Sendable {
  // @unchecked: `transaction` is accessed on the loop's thread only. `parking`
  // is set on that thread before a waiter is registered. The other properties
  // are constant or atomic.

  let loop: PortCore
  var parking: Parking?
  unowned(unsafe) var transaction: AsyncTransaction?  // loop only
  private let word = Atomic<UInt64>(AsyncTransactionState().word)

  init(loop: PortCore) { self.loop = loop }

  /// The current state. Call from any thread.
  var state: AsyncTransactionState {
    // Acquire: pairs with the release in `change(_:)`. A thread that sees that
    // all operations have ended also sees their outcomes.
    AsyncTransactionState(word: word.load(ordering: .acquiring))
  }

  /// Performs a transition and returns its result. May call `body` several
  /// times.
  ///
  /// Call from any thread.
  func change<Result>(_ body: (inout AsyncTransactionState) -> Result) -> Result {
    var before = word.load(ordering: .relaxed)
    while true {
      var state = AsyncTransactionState(word: before)
      let result = body(&state)
      // Acquire and release: each ending operation publishes its outcome, and
      // the completing thread sees all of them.
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

  /// Records that an operation ended and its captures are released.
  ///
  /// Call from any thread.
  func operationEnded() { perform(change { $0.end() }) }

  /// Performs the action that a transition returned.
  ///
  /// Call from any thread.
  func perform(_ action: AsyncTransactionState.Action) {
    switch action {
    case .none: break
    case .wakeWaiter: parking?.wake()
    case .postToLoop:
      var item = PostedItem(operationsHaveEnded, self)
      // A closing loop refuses the post and completes the transaction itself.
      if !loop.append(item) { item.drop() }
    }
  }
}

private func operationsHaveEnded(_ loop: UnsafeRawPointer, _ core: UnsafeRawPointer) {
  Unmanaged<AsyncTransactionCore>.fromOpaque(core)._withUnsafeGuaranteedRef { core in
    guard let transaction = core.transaction else { return }
    transaction.completeIfEnded()
    // The loop retained the transaction until it completed.
    withExtendedLifetime(transaction) {}
  }
}
