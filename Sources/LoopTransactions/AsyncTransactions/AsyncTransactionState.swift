/// Where an async transaction is between being opened and being complete.
///
/// Operations end on workers, everything else happens on the loop: each transition is
/// one exchange of the word it fits into, and returns what is to be done after it. O6.
package struct AsyncTransactionState {
  /// How far it is.
  package enum Phase: UInt64 {
    /// Operations may be added.
    case open
    /// Nothing can be added; completions wait for the last operation.
    case committed
    /// Completions are being called.
    case completing
    /// Every completion was called.
    case complete
  }

  /// What follows from the end of an operation, or from the commit.
  package enum Action {
    case none
    /// Have the loop complete the transaction.
    case postToLoop
    /// Wake the loop's thread, which waits for it.
    case wakeWaiter
  }

  package private(set) var phase = Phase.open
  package private(set) var isCancelled = false
  /// How many operations have not ended.
  package private(set) var unended = 0
  package private(set) var hasWaiter = false

  package init() {}

  /// What `word` was made from.
  package init(word: UInt64) {
    // Two bits: four phases, and each of them has its number.
    phase = Phase(rawValue: word & 3) ?? .complete
    isCancelled = word & 4 != 0
    hasWaiter = word & 8 != 0
    unended = Int(word >> 4)
  }

  /// All of it.
  package var word: UInt64 {
    UInt64(unended) << 4 | (hasWaiter ? 8 : 0) | (isCancelled ? 4 : 0) | phase.rawValue
  }

  /// Takes note of one operation more.
  package mutating func add() {
    defer { checkInvariants() }
    assert(phase == .open, "AsyncTransaction: operations are added while it is open")
    unended += 1
  }

  /// Lets nothing be added any more.
  package mutating func commit() -> Action {
    defer { checkInvariants() }
    assert(phase == .open, "AsyncTransaction: it is committed once")
    phase = .committed
    return unended == 0 ? .postToLoop : .none
  }

  /// Takes note that nobody wants the results; whether that is news.
  package mutating func cancel() -> Bool {
    defer { checkInvariants() }
    // Sampled before the first completion: all are told the same.
    guard phase == .committed, !isCancelled else { return false }
    isCancelled = true
    return true
  }

  /// An operation ended.
  package mutating func end() -> Action {
    defer { checkInvariants() }
    unended -= 1
    guard unended == 0 else { return .none }
    if hasWaiter { return .wakeWaiter }
    return phase == .committed ? .postToLoop : .none
  }

  /// The loop's thread wants to sleep until the last operation ended; whether it
  /// has to.
  package mutating func beginWait() -> Bool {
    defer { checkInvariants() }
    hasWaiter = unended > 0
    return hasWaiter
  }

  /// The loop's thread was woken.
  package mutating func endWait() {
    defer { checkInvariants() }
    hasWaiter = false
  }

  /// Whether the completions are to be called now, by who asks.
  package mutating func beginCompleting() -> Bool {
    defer { checkInvariants() }
    guard phase == .committed, unended == 0 else { return false }
    phase = .completing
    return true
  }

  /// Every completion was called; whether that is news.
  @discardableResult
  package mutating func complete() -> Bool {
    defer { checkInvariants() }
    guard phase == .completing else { return false }
    phase = .complete
    return true
  }

  package func checkInvariants() {
    assert(unended >= 0, "AsyncTransaction: an operation ends once")
    assert(phase == .open || phase == .committed || unended == 0, "AsyncTransaction: ended, all")
    assert(!hasWaiter || phase == .committed, "AsyncTransaction: awaited while committed")
  }
}
