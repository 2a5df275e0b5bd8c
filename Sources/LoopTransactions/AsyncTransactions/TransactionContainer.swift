/// Something whose parts appear together: a card, a page, a window.
///
/// Whoever has work to do for a part asks its container for `transaction`. The
/// nearest one that collects answers, of all that enclose it; if none does, the
/// container itself. All that was added until the end of the tick is then one
/// transaction, and its completions run together. Containers that collect within
/// another are independent. Belongs to the loop's thread.
///
/// ```swift
/// let card = TransactionContainer(on: loop, collects: true)
/// let cover = TransactionContainer(on: loop, in: card)
/// cover.transaction.add { _ in decode(file) } completion: { outcome in show(outcome) }
/// ```
///
/// After Texture's transaction containers.
public final class TransactionContainer {
  /// What encloses it. Not kept alive.
  ///
  /// Use it on the loop.
  public weak var parent: TransactionContainer?

  /// Whether it answers for those that it encloses.
  ///
  /// Use it on the loop.
  public var collects: Bool

  /// Called on the loop when a transaction was opened here. Closing the loop inside
  /// traps: the transaction is about to be added to.
  public var willBegin: ((AsyncTransaction) -> Void)? {
    get { onBegin }
    set {
      // Released outside the access: what goes with it may ask this.
      let old = onBegin
      onBegin = newValue
      withExtendedLifetime(old) {}
    }
  }

  /// Called on the loop when a transaction that was opened here is complete.
  public var didComplete: ((AsyncTransaction) -> Void)? {
    get { onComplete }
    set {
      let old = onComplete
      onComplete = newValue
      withExtendedLifetime(old) {}
    }
  }

  let name: String
  private let scheduler: OperationScheduler
  let core: PortCore
  // Behind the properties above.
  private var onBegin: ((AsyncTransaction) -> Void)?
  private var onComplete: ((AsyncTransaction) -> Void)?
  private var current: AsyncTransaction?
  private var unfinished: [AsyncTransaction] = []

  /// A container of `loop`.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - parent: What encloses it; not kept alive.
  ///   - name: What its transactions are called.
  ///   - collects: Whether it answers for those that it encloses.
  ///   - scheduler: Who runs the operations.
  public init(
    on loop: EventLoop,
    in parent: TransactionContainer? = nil,
    name: String = "container",
    collects: Bool = false,
    scheduler: OperationScheduler = .shared
  ) {
    loop.checkUsable("TransactionContainer.init")
    core = loop.core
    self.parent = parent
    self.name = name
    self.collects = collects
    self.scheduler = scheduler
  }

  /// The transaction that collects what is added in this tick: the open one of the
  /// nearest container that collects, made if there is none. It is committed at the
  /// end of the tick.
  ///
  /// Use it on the loop.
  ///
  /// - Complexity: O(depth).
  public var transaction: AsyncTransaction { collector.openTransaction }

  /// The container that answers for this one.
  ///
  /// Use it on the loop.
  public var collector: TransactionContainer {
    var container: TransactionContainer? = self
    while let each = container {
      if each.collects { return each }
      container = each.parent
    }
    return self
  }

  /// Whether a transaction that was opened here is not complete.
  ///
  /// Use it on the loop.
  public var isPending: Bool { !unfinished.isEmpty }

  /// Cancels every transaction that was opened here and is not complete; one that is
  /// open is committed. Those of containers within are left.
  ///
  /// Call on the loop.
  public func cancelAll() {
    core.checkThread("TransactionContainer.cancelAll")
    if let open = current { core.loopOnThread?.part(TransactionGroup.self).remove(open) }
    current = nil
    for transaction in unfinished { transaction.cancelEvenIfOpen() }
  }

  private var openTransaction: AsyncTransaction {
    core.checkThread("TransactionContainer.transaction")
    if let current, current.state == .open { return current }
    guard let loop = core.loopOnThread else {
      trap("TransactionContainer.transaction: the loop is closed")
    }
    let transaction = AsyncTransaction(on: loop, name: name, scheduler: scheduler)
    current = transaction
    unfinished.append(transaction)
    transaction.whenComplete { [weak self] in self?.transactionDidComplete($0) }
    loop.transactionGroup.add(transaction)
    // Its caller adds to it next.
    loop.withoutClosing("TransactionContainer.willBegin") { willBegin?(transaction) }
    return transaction
  }

  private func transactionDidComplete(_ transaction: AsyncTransaction) {
    unfinished.removeAll { $0 === transaction }
    if current === transaction { current = nil }
    didComplete?(transaction)
  }
}
