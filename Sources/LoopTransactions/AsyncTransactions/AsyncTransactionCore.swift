import Synchronization

/// The part of an async transaction that its operations retain.
@usableFromInline
final class AsyncTransactionCore: Identifiable, @unchecked Sendable {
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

/// The state of an async transaction, packed into one atomic word. O6.
///
/// Operations end on workers; everything else happens on the loop. Each
/// transition is one compare-and-exchange of the word, and returns the action
/// to perform after it.
package struct AsyncTransactionState {
  /// The phase of a transaction.
  package enum Phase: UInt64 {
    /// Operations can be added.
    case open
    /// No operation can be added. Completions wait for the last operation.
    case committed
    /// The loop is calling completions.
    case completing
    /// All completions have been called.
    case complete
  }

  /// The action to perform after an operation has ended, or after the commit.
  package enum Action {
    case none
    /// Post to the loop, which completes the transaction.
    case postToLoop
    /// Wake the loop's thread, which waits for the transaction.
    case wakeWaiter
  }

  package private(set) var phase = Phase.open
  package private(set) var isCancelled = false
  /// The number of operations that have not ended.
  package private(set) var unended = 0
  package private(set) var hasWaiter = false

  package init() {}

  /// Unpacks `word`.
  package init(word: UInt64) {
    // The fallback is never used, because two bits have four values and each is
    // a phase.
    phase = Phase(rawValue: word & 3) ?? .complete
    isCancelled = word & 4 != 0
    hasWaiter = word & 8 != 0
    unended = Int(word >> 4)
  }

  /// The state, packed.
  package var word: UInt64 {
    UInt64(unended) << 4 | (hasWaiter ? 8 : 0) | (isCancelled ? 4 : 0) | phase.rawValue
  }

  /// Adds an operation.
  package mutating func add() {
    defer { checkInvariants() }
    assert(phase == .open, "AsyncTransaction: an operation was added while \(phase)")
    unended += 1
  }

  /// Commits the transaction.
  package mutating func commit() -> Action {
    defer { checkInvariants() }
    assert(phase == .open, "AsyncTransaction: committed while \(phase)")
    phase = .committed
    return unended == 0 ? .postToLoop : .none
  }

  /// Cancels the transaction. Returns false if it was cancelled before, or is
  /// completing.
  package mutating func cancel() -> Bool {
    defer { checkInvariants() }
    // Refused once completions are being called, so that all completions see
    // the same outcome.
    guard phase == .committed, !isCancelled else { return false }
    isCancelled = true
    return true
  }

  /// Ends an operation.
  package mutating func end() -> Action {
    defer { checkInvariants() }
    unended -= 1
    guard unended == 0 else { return .none }
    if hasWaiter { return .wakeWaiter }
    return phase == .committed ? .postToLoop : .none
  }

  /// Registers the loop's thread as waiting for the last operation. Returns
  /// false if all operations have ended.
  package mutating func beginWait() -> Bool {
    defer { checkInvariants() }
    hasWaiter = unended > 0
    return hasWaiter
  }

  /// Unregisters the loop's thread.
  package mutating func endWait() {
    defer { checkInvariants() }
    hasWaiter = false
  }

  /// Returns whether the caller must call the completions now.
  package mutating func beginCompleting() -> Bool {
    defer { checkInvariants() }
    guard phase == .committed, unended == 0 else { return false }
    phase = .completing
    return true
  }

  /// Records that all completions were called. Returns false if this was
  /// recorded before.
  @discardableResult
  package mutating func complete() -> Bool {
    defer { checkInvariants() }
    guard phase == .completing else { return false }
    phase = .complete
    return true
  }

  package func checkInvariants() {
    assert(unended >= 0, "AsyncTransaction: more operations ended than were added: \(unended)")
    assert(
      phase == .open || phase == .committed || unended == 0,
      "AsyncTransaction: \(unended) operations have not ended in phase \(phase)"
    )
    assert(!hasWaiter || phase == .committed, "AsyncTransaction: has a waiter in phase \(phase)")
  }
}
