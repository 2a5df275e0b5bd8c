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
