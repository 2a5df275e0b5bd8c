/// The async transactions of a loop that are not complete.
///
/// Belongs to the loop's thread. Knows those that are open; keeps those that were
/// committed alive, and the loop's run going for them. Linked through the
/// transactions, in the order they were opened.
final class UnfinishedTransactions: LoopPart {
  /// What a transaction knows of its neighbours.
  struct Links {
    unowned(unsafe) fileprivate var previous: AsyncTransaction?
    unowned(unsafe) fileprivate var next: AsyncTransaction?
    fileprivate var isLinked = false
    /// Kept from its commit on.
    fileprivate var retained: AsyncTransaction?
  }

  // Unchecked, all of them: nothing is called while one changes.
  @exclusivity(unchecked) private unowned(unsafe) var first: AsyncTransaction?
  @exclusivity(unchecked) private unowned(unsafe) var last: AsyncTransaction?
  @exclusivity(unchecked) private var committed = 0
  @exclusivity(unchecked) private unowned(unsafe) var loop: EventLoop?
  @exclusivity(unchecked) private var holdsLoop = false

  func attach(to loop: EventLoop) { self.loop = loop }

  var holdsAnything: Bool { first != nil }

  var isUnfinished: Bool { first != nil }

  /// Whether the loop went without having been closed.
  private(set) var isAbandoned = false

  /// Takes note of `transaction`, which was opened.
  func open(_ transaction: AsyncTransaction) {
    transaction.links.previous = last
    transaction.links.isLinked = true
    if let last { last.links.next = transaction } else { first = transaction }
    last = transaction
  }

  /// Keeps `transaction`, which is committed.
  func retain(_ transaction: AsyncTransaction) {
    // Nothing would ever let go of it.
    guard !isAbandoned else { return }
    transaction.links.retained = transaction
    committed += 1
    guard committed == 1, let loop, loop.state != .closing else { return }
    holdsLoop = true
    loop.hold()
  }

  /// Lets go of `transaction`: it is complete, or was dropped while empty.
  func remove(_ transaction: AsyncTransaction) {
    guard transaction.links.isLinked else { return }
    let links = transaction.links
    transaction.links = Links()
    let (previous, next) = (links.previous, links.next)
    if let previous { previous.links.next = next } else { first = next }
    if let next { next.links.previous = previous } else { last = previous }
    guard links.retained != nil else { return }
    committed -= 1
    guard committed == 0, holdsLoop else { return }
    holdsLoop = false
    loop?.endHold()
  }

  /// Cancels every one, waits for operations that run, and calls the completions:
  /// oldest first.
  func finish() {
    let all = all
    for transaction in all { transaction.cancelEvenIfOpen() }
    for transaction in all { transaction.finish() }
  }

  // An operation that the calling thread runs and a transaction waits for.
  var unclosablePlace: String? {
    guard CurrentOperation.owner != nil else { return nil }
    guard let awaiting = all.first(where: { CurrentOperation.isAwaited(by: $0.core) }) else {
      return nil
    }
    return "an operation of transaction '\(awaiting.name)', nor where its captures are released"
  }

  func drop() { finish() }

  /// Nothing completes any more.
  func loopWasReleased() {
    isAbandoned = true
    loop = nil
    holdsLoop = false
    for transaction in all { transaction.links.retained = nil }
    committed = 0
  }

  private var all: [AsyncTransaction] {
    var all: [AsyncTransaction] = []
    var each = first
    while let transaction = each {
      all.append(transaction)
      each = transaction.links.next
    }
    return all
  }
}
