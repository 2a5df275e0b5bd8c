/// The async transactions of a loop that are not complete, in the order they
/// were opened.
///
/// Loop thread only. Retains committed transactions and keeps the loop running
/// for them. Does not retain open transactions. The list is linked through the
/// transactions.
final class UnfinishedTransactions: LoopPart {
  /// The links of a transaction in the list.
  struct Links {
    // Unmanaged, because an access of an unowned reference counts it.
    fileprivate var previous: Unmanaged<AsyncTransaction>?
    fileprivate var next: Unmanaged<AsyncTransaction>?
    fileprivate(set) var isLinked = false
    /// Set from the commit until completion.
    fileprivate var retained: AsyncTransaction?
  }

  // Exclusivity is unchecked for these properties, because no other code runs
  // while one of them changes.
  @exclusivity(unchecked) private var first: Unmanaged<AsyncTransaction>?
  @exclusivity(unchecked) private var last: Unmanaged<AsyncTransaction>?
  @exclusivity(unchecked) private var committed = 0
  @exclusivity(unchecked) private unowned(unsafe) var loop: EventLoop?
  @exclusivity(unchecked) private var holdsLoop = false

  func attach(to loop: EventLoop) { self.loop = loop }

  var holdsAnything: Bool { first != nil }

  var isUnfinished: Bool { first != nil }

  var unfinishedWork: [String] {
    all.filter { $0.links.retained != nil }
      .map { "async transaction '\($0.name)', created at \($0.place.description)" }
  }

  /// Whether a committed transaction has not completed.
  var hasCommitted: Bool { committed > 0 }

  /// Whether the loop was released without `close()`.
  private(set) var isAbandoned = false

  /// Adds `transaction`, which was opened.
  func open(_ transaction: AsyncTransaction) {
    let added = Unmanaged.passUnretained(transaction)
    transaction.links.previous = last
    transaction.links.isLinked = true
    if let last {
      last._withUnsafeGuaranteedRef { $0.links.next = added }
    } else {
      first = added
    }
    last = added
  }

  /// Retains `transaction`, which was committed.
  func retain(_ transaction: AsyncTransaction) {
    // After the loop was released, nothing would release the transaction.
    guard !isAbandoned else { return }
    transaction.links.retained = transaction
    committed += 1
    if _slowPath(transaction.core.loop.virtualTime != nil) { noteThreaded(transaction) }
    guard committed == 1, let loop, loop.state != .closing else { return }
    holdsLoop = true
    loop.hold()
  }

  private func noteThreaded(_ transaction: AsyncTransaction) {
    guard transaction.isThreaded else { return }
    transaction.core.loop.virtualTime?.didCommitThreaded(transaction.name)
  }

  /// The names of the transactions that have operations and were not committed.
  /// A group commits its transactions by itself.
  var openNames: [String] {
    all.filter { $0.state == .open && !$0.items.isEmpty && !$0.isInGroup }.map(\.name)
  }

  /// When the first operation wakes, in nanoseconds, if all operations of
  /// committed transactions that have not ended sleep on the clock `time`. Nil
  /// otherwise.
  func firstWake(_ time: VirtualTime) -> UInt64? {
    let committed = all.filter { $0.links.retained != nil }
    let sleeps = committed.map { each in
      var sleeps: [UInt64] = []
      each.items.forEach { item in
        if let task = item.unendedTask, let wake = time.sleeps[task] { sleeps.append(wake) }
      }
      return sleeps
    }
    let areAllAsleep = zip(committed, sleeps).allSatisfy { each, sleeps in
      !sleeps.isEmpty && sleeps.count == each.core.state.unended
    }
    return areAllAsleep ? sleeps.joined().min() : nil
  }

  /// Removes `transaction`, which has completed or was released while empty.
  func remove(_ transaction: AsyncTransaction) {
    guard transaction.links.isLinked else { return }
    unlink(transaction)
    guard transaction.links.retained != nil else { return }
    // The caller retains the transaction.
    transaction.links.retained = nil
    committed -= 1
    guard committed == 0, holdsLoop else { return }
    holdsLoop = false
    loop?.endHold()
  }

  // Field by field, because a copy of the links would count references.
  private func unlink(_ transaction: AsyncTransaction) {
    let (previous, next) = (transaction.links.previous, transaction.links.next)
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.links.next = next }
    } else {
      first = next
    }
    if let next {
      next._withUnsafeGuaranteedRef { $0.links.previous = previous }
    } else {
      last = previous
    }
    transaction.links.previous = nil
    transaction.links.next = nil
    transaction.links.isLinked = false
  }

  /// Cancels all transactions, waits for running operations, and calls the
  /// completions, oldest transaction first.
  func finish() {
    let all = all
    for transaction in all { transaction.cancelEvenIfOpen() }
    for transaction in all { transaction.finish() }
  }

  // Names an operation that the calling thread runs and that a transaction
  // waits for.
  var unclosablePlace: String? {
    guard CurrentOperation.owner != nil else { return nil }
    guard let awaiting = all.first(where: { CurrentOperation.isAwaited(by: $0.core.id) }) else {
      return nil
    }
    return "an operation of transaction '\(awaiting.name)', or while its captures are released"
  }

  func drop() { finish() }

  /// Abandons all transactions. They never complete.
  func loopWasReleased() {
    isAbandoned = true
    loop = nil
    holdsLoop = false
    let all = all
    for transaction in all { transaction.resumeAwaiters() }
    // Unlinked, because the last references may be released on other threads.
    (first, last) = (nil, nil)
    committed = 0
    for transaction in all { transaction.links = Links() }
  }

  private var all: [AsyncTransaction] {
    var all: [AsyncTransaction] = []
    var each = first
    while let transaction = each?.takeUnretainedValue() {
      all.append(transaction)
      each = transaction.links.next
    }
    return all
  }
}

extension AsyncTransaction {
  /// Whether an operation runs on a worker that is a thread, and not stepped.
  var isThreaded: Bool {
    var isThreaded = false
    items.forEach { isThreaded = isThreaded || $0.isThreaded }
    return isThreaded
  }
}

extension EventLoop {
  /// Whether a committed transaction has not completed. Loop only.
  package var hasCommittedTransactions: Bool { part(UnfinishedTransactions.self).hasCommitted }

  /// When the first operation wakes, in nanoseconds, if all operations of
  /// committed transactions that have not ended sleep on the clock `time`. Nil
  /// otherwise. Loop only.
  package func firstWakeOfTransactions(_ time: VirtualTime) -> UInt64? {
    part(UnfinishedTransactions.self).firstWake(time)
  }

  /// The names of the transactions that have operations and were not committed.
  /// Loop only.
  package var openTransactionNames: [String] { part(UnfinishedTransactions.self).openNames }
}
