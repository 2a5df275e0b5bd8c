/// Groups the parts of a card, a page or a window whose results must appear
/// together, by an `AsyncTransaction`; not by a `Transaction`, which is one
/// action of the loop.
///
/// A part adds its operations to the `transaction` of its container. The
/// nearest enclosing container that collects provides the transaction. If no
/// enclosing container collects, the container itself provides it. All
/// operations added before the end of the tick belong to one transaction, so
/// their completions are called together. A collecting container inside another
/// container is independent of it.
///
/// Loop thread only.
///
/// ```swift
/// let card = TransactionContainer(on: loop, collects: true)
/// let cover = TransactionContainer(on: loop, in: card)
/// cover.transaction.add { _ in
///   decode(file)
/// } completion: { outcome in
///   show(outcome)
/// }
/// ```
///
/// Modelled on Texture's `ASAsyncTransactionContainer`.
public final class TransactionContainer {
  /// The enclosing container. A weak reference.
  ///
  /// Call on the loop.
  ///
  /// - Precondition: The new value is neither this container nor inside it.
  /// - Complexity: O(depth) of the new value.
  public var parent: TransactionContainer? {
    get { enclosing }
    set {
      checkNotInside(newValue)
      enclosing = newValue
    }
  }

  /// Whether this container provides the transaction for the containers it
  /// encloses.
  ///
  /// Call on the loop.
  public var collects: Bool

  /// Called on the loop when a transaction was opened in this container.
  ///
  /// Closing the loop inside the closure traps, because the caller is about to
  /// add to the transaction.
  public var willBegin: ((AsyncTransaction) -> Void)? {
    get { onBegin }
    set {
      // Released after the access, because the captures of the old closure may
      // read this property.
      let old = onBegin
      onBegin = newValue
      withExtendedLifetime(old) {}
    }
  }

  /// Called on the loop when a transaction that was opened in this container is
  /// complete.
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
  // The storage of the properties above.
  private weak var enclosing: TransactionContainer?
  private var onBegin: ((AsyncTransaction) -> Void)?
  private var onComplete: ((AsyncTransaction) -> Void)?
  private var current: AsyncTransaction?
  private var unfinished: [AsyncTransaction] = []

  /// Creates a container.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - loop: The loop of the transactions.
  ///   - parent: The enclosing container. A weak reference.
  ///   - name: The name of the transactions.
  ///   - collects: Whether this container provides the transaction for the
  ///     containers it encloses.
  ///   - scheduler: The scheduler that runs the operations.
  public init(
    on loop: EventLoop,
    in parent: TransactionContainer? = nil,
    name: String = "container",
    collects: Bool = false,
    scheduler: OperationScheduler = .shared
  ) {
    loop.checkUsable("TransactionContainer.init")
    core = loop.core
    enclosing = parent
    self.name = name
    self.collects = collects
    self.scheduler = scheduler
  }

  /// The open transaction of this tick, from the nearest container that
  /// collects. Opens a transaction if none is open. The loop commits it at the
  /// end of the tick.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(depth).
  public var transaction: AsyncTransaction { collector.openTransaction }

  /// The container that provides the transaction for this one.
  ///
  /// Call on the loop.
  public var collector: TransactionContainer {
    var container: TransactionContainer? = self
    while let each = container {
      if each.collects { return each }
      container = each.parent
    }
    return self
  }

  /// Whether a transaction that was opened in this container is not complete.
  ///
  /// Call on the loop.
  public var isPending: Bool { !unfinished.isEmpty }

  /// Cancels all transactions that were opened in this container and are not
  /// complete. Commits an open transaction first. Transactions that were opened
  /// in enclosed containers are not affected.
  ///
  /// Call on the loop.
  public func cancelAll() {
    core.checkThread("TransactionContainer.cancelAll")
    if let open = current { core.loopOnThread?.part(TransactionGroup.self).remove(open) }
    current = nil
    for transaction in unfinished { transaction.cancelEvenIfOpen() }
  }

  /// Traps if this container is `parent` or encloses it. Looking for the
  /// collector would never end.
  private func checkNotInside(_ parent: TransactionContainer?) {
    var container = parent
    while let each = container {
      if each === self {
        trap(
          "TransactionContainer.parent: \(name) encloses its new parent, \(parent?.name ?? name); "
            + "first set the parent of that one"
        )
      }
      container = each.enclosing
    }
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
    // Closing is forbidden here, because the caller adds to the transaction
    // next.
    loop.withoutClosing("TransactionContainer.willBegin") { willBegin?(transaction) }
    return transaction
  }

  private func transactionDidComplete(_ transaction: AsyncTransaction) {
    unfinished.removeAll { $0 === transaction }
    if current === transaction { current = nil }
    didComplete?(transaction)
  }
}
