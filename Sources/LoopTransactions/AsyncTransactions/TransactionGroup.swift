/// The open async transactions of a loop that are committed together, at the end of
/// its tick.
///
/// At `beforeWaiting` and `exit`, last of all observers (order `Int.max`), so that
/// every part made in a tick goes into the transaction that was open for it. What is
/// opened while they are committed is committed in the next tick, which comes
/// without blocking. Belongs to the loop's thread.
///
/// ```swift
/// let transaction = AsyncTransaction(on: loop)
/// loop.transactionGroup.add(transaction)  // nobody has to commit it
/// ```
///
/// After Texture's transaction group.
public final class TransactionGroup {
  /// The thread of the loop, which makes it.
  let thread = System.thread
  private unowned(unsafe) var loop: EventLoop?
  private var open: [AsyncTransaction] = []
  private var observer: Observer?

  init() {}

  /// Commits `transaction` at the end of the tick, unless it was committed by then.
  ///
  /// Call on the loop. Adding one again does nothing.
  ///
  /// - Precondition: It is open, and of the same loop.
  /// - Complexity: O(1).
  public func add(_ transaction: AsyncTransaction) {
    transaction.checkOpen("TransactionGroup.add")
    guard let loop else { return }
    require(
      transaction.core.loop === loop.core,
      "TransactionGroup.add: \(transaction.name) is of another loop"
    )
    guard !transaction.isInGroup else { return }
    transaction.isInGroup = true
    open.append(transaction)
    observer?.setPending(true)
  }

  /// Commits every transaction that is open now.
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

  /// How many wait for the end of the tick.
  ///
  /// Call on the loop.
  public var count: Int { open.count }

  /// Takes `transaction` out; it stays open.
  func remove(_ transaction: AsyncTransaction) {
    guard transaction.isInGroup else { return }
    transaction.isInGroup = false
    open.removeAll { $0 === transaction }
  }
}

extension TransactionGroup: LoopPart {
  /// Commits in `loop` from now on. Here, not when the first is added: an observer
  /// that is added within a pass is not called in it.
  func attach(to loop: EventLoop) {
    self.loop = loop
    let observer = loop.addObserver(for: [.beforeWaiting, .exit], order: .max) {
      [unowned(unsafe) self] _ in commit()
    }
    observer.isResting = true
    self.observer = observer
  }

  func loopWillClose() { commit() }

  func loopDidClose() {
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
