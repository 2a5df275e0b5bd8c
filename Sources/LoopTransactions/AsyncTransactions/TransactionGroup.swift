/// The open async transactions of a loop, which it commits together at the end
/// of the tick; not for a `Transaction`, which is one action of the loop.
///
/// Commits at `beforeWaiting` and `exit`, after all other observers (order
/// `Int.max`), so that other observers can still add operations to the open
/// transactions. A transaction that is opened during the commit is committed in
/// the next tick, and the loop does not block before that tick.
///
/// Loop thread only.
///
/// ```swift
/// let transaction = AsyncTransaction(on: loop)
/// loop.transactionGroup.add(transaction)  // committed at the end of the tick
/// ```
///
/// Modelled on Texture's `_ASAsyncTransactionGroup`.
public final class TransactionGroup {
  /// The thread of the loop, which creates the group.
  let thread = System.thread
  private unowned(unsafe) var loop: EventLoop?
  private var open: [AsyncTransaction] = []
  private var observer: Observer?

  init() {}

  /// Commits `transaction` at the end of the tick, unless it was already
  /// committed by then.
  ///
  /// Call on the loop. Adding a transaction again does nothing.
  ///
  /// - Precondition: The transaction is open and belongs to the same loop.
  /// - Complexity: O(1).
  public func add(_ transaction: AsyncTransaction) {
    transaction.checkOpen("TransactionGroup.add")
    guard let loop else { return }
    require(
      transaction.core.loop === loop.core,
      "TransactionGroup.add: \(transaction.name) must belong to the group's loop"
    )
    guard !transaction.isInGroup else { return }
    transaction.isInGroup = true
    open.append(transaction)
    observer?.setPending(true)
  }

  /// Commits all open transactions of the group now.
  ///
  /// Call on the loop.
  public func commit() {
    loop?.checkThread("TransactionGroup.commit")
    let all = open
    open = []
    for transaction in all {
      transaction.isInGroup = false
      if transaction.state == .open { transaction.commit() }
    }
    observer?.setPending(!open.isEmpty)
  }

  /// The number of transactions that the group will commit.
  ///
  /// Call on the loop.
  public var count: Int { open.count }

  /// Removes `transaction`, which stays open.
  func remove(_ transaction: AsyncTransaction) {
    guard transaction.isInGroup else { return }
    transaction.isInGroup = false
    open.removeAll { $0 === transaction }
  }
}

extension TransactionGroup: LoopPart {
  /// Adds the observer when the loop is created, because an observer that is
  /// added during a pass is not called in that pass.
  package func attach(to loop: EventLoop) {
    self.loop = loop
    let observer = loop.addObserver(for: [.beforeWaiting, .exit], order: .max, place: nil) {
      [unowned(unsafe) self] _ in commit()
    }
    observer.isResting = true
    self.observer = observer
  }

  package func loopWillClose() { commit() }

  package func loopDidClose() {
    loop = nil
    observer = nil
    open = []
  }
}

extension EventLoop {
  /// The async transactions that this loop commits at the end of the tick.
  ///
  /// Call on the loop.
  public var transactionGroup: TransactionGroup {
    checkUsable("EventLoop.transactionGroup")
    return part(TransactionGroup.self)
  }
}
