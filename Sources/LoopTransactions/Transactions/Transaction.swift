/// A target and a selector that the loop performs once per tick, however often
/// they are committed; not an `AsyncTransaction`, whose operations workers run.
///
/// Keep a `Transaction` if the same pair is committed repeatedly, because
/// committing a pending transaction is a load and a branch. `EventLoop.commit`
/// needs no such object. A transaction belongs to the loop's thread. While
/// pending, it must be released on that thread.
///
/// ```swift
/// final class Label {
///   static let layout = Selector<Label>("layout") { $0.layOut() }
///   private let loop: EventLoop
///   private lazy var layout = Transaction(self, Label.layout, on: loop)
///   init(on loop: EventLoop) { self.loop = loop }
///   var text = "" { didSet { layout.commit() } }
///   func layOut() { print(text) }
/// }
/// ```
///
/// A transaction does not retain its target until it is committed. A committed
/// target is retained until it is performed, unless `hold` is `.weak`. Modelled
/// on YYTransaction. Like CATransaction in Core Animation, it collects changes
/// and performs them before the loop waits.
public final class Transaction {
  /// Whether a pending transaction retains its target.
  public enum Hold: Hashable, Sendable {
    /// The target is retained until it is performed.
    case strong
    /// The target is not retained. If it dies, the transaction is skipped and
    /// counted.
    case weak
  }

  // The loop's thread while pending, otherwise 0. A single comparison therefore
  // tells a commit both that it is on that thread and that there is nothing to
  // do. Exclusivity is unchecked, because only one thread has access.
  @usableFromInline @exclusivity(unchecked) var pendingThread: UInt = 0

  // The loop's thread while the pair waits for a frame, otherwise 0.
  // `pendingThread` is 0 meanwhile, because a commit without a clock has
  // something to do.
  @usableFromInline @exclusivity(unchecked) var frameThread: UInt = 0

  let transactions: TransactionSet
  let pair: TransactionPair
  let holdsWeakly: Bool
  // `pair.hash`.
  let hash: UInt64

  // Only one of the two references is set. An unowned reference is used where
  // possible, because a weak reference moves the target's reference counts to a
  // side table, and each retain then costs 20 ns more.
  private weak var weakTarget: AnyObject?
  private unowned let strongTarget: AnyObject?

  // The next `Transaction` of the same pair, while pending.
  @exclusivity(unchecked) var next: UInt = 0

  /// Creates a transaction of `selector` on `target` for `loop`.
  ///
  /// Call on the loop.
  public init<Target>(
    _ target: Target,
    _ selector: Selector<Target>,
    on loop: EventLoop,
    hold: Hold = .strong
  ) {
    loop.checkUsable("Transaction.init")
    transactions = loop.transactions
    pair = TransactionPair(target, selector)
    hash = pair.hash
    holdsWeakly = hold == .weak
    strongTarget = hold == .weak ? nil : target
    weakTarget = hold == .weak ? target : nil
  }

  deinit {
    guard isLinked else { return }
    transactions.checkThread("Transaction.deinit")
    transactions.unlink(self)
  }

  /// The target, or nil if it was held weakly and died.
  var target: AnyObject? { holdsWeakly ? weakTarget : strongTarget }

  /// Whether the transaction is pending and linked from its entry.
  var isLinked: Bool { pendingThread | frameThread != 0 }

  /// Whether the transaction is linked from an entry that waits for a frame.
  var isLinkedToFrame: Bool { frameThread != 0 }

  /// Marks the transaction as pending in the tick.
  @inline(__always)
  func didLink() { pendingThread = transactions.thread }

  /// Marks the transaction as waiting for a frame.
  func didLinkToFrame() { frameThread = transactions.thread }

  /// Called when the pair's entry has moved from a frame list to the set.
  func frameDidEnd() {
    frameThread = 0
    didLink()
  }

  /// Marks the transaction as not pending. Returns the pair's next transaction.
  @inline(__always)
  func unlink() -> UInt {
    pendingThread = 0
    frameThread = 0
    defer { next = 0 }
    return next
  }

  /// Marks the transaction, which is the pair's only one, as not pending.
  @inline(__always)
  func unlinkSingle() {
    assert(next == 0, "Transaction: another transaction is linked to a single one")
    pendingThread = 0
    frameThread = 0
  }

  /// The address of this object.
  var word: UInt { UInt(addressOf: self) }

  /// Commits the transaction: performs it before the loop next waits, unless it
  /// is already pending.
  ///
  /// Call on the loop. `EventLoop.commit` describes the order. If a weakly held
  /// target has died, the commit is only counted.
  ///
  /// - Precondition: A strongly held target is alive.
  /// - Complexity: O(1). A load and a branch while pending. Never allocates.
  @inlinable
  @inline(__always)
  public func commit() {
    if _fastPath(pendingThread == threadIdentity()) { return }
    // Unmanaged, because `self` would be retained before the branch. The caller
    // keeps it alive.
    Unmanaged.passUnretained(self)._withUnsafeGuaranteedRef { commitNotPending($0) }
  }

  @inline(never)
  fileprivate func commitFirst() {
    transactions.checkUsable("Transaction.commit")
    // Pending since before the loop moved to this thread. Linking it again
    // would make the entry's list of transactions a cycle.
    if pendingThread != 0, frameThread == 0 { return didLink() }
    if _slowPath(holdsWeakly) { return commitWeakly() }
    let target = strongTarget.unsafelyUnwrapped
    // Consumed, so that the reference is passed on and not counted twice.
    transactions.commit(self, .passRetained(consume target))
  }

  @inline(never)
  private func commitWeakly() {
    guard let weakTarget else { return transactions.metrics.dead.add() }
    withExtendedLifetime(weakTarget) { transactions.commitWeakly(self) }
  }
}

// A free function, because a static one is passed the metadata of `Self`, which
// prevents inlining into other modules.
@usableFromInline
@inline(never)
func commitNotPending(_ transaction: Transaction) {
  let thread = threadIdentity()
  guard transaction.isReady(on: thread), let slot = transaction.freeSlot else {
    return transaction.commitFirst()
  }
  transaction.append(on: thread, slot: slot)
}

// A commit of most transactions: strongly held, in a set with entries, all of
// which wait for the tick.
extension Transaction {
  @inline(__always)
  fileprivate func isReady(on thread: UInt) -> Bool {
    pendingThread == 0 && !holdsWeakly && transactions.isReady(on: thread)
  }

  @inline(__always)
  fileprivate var freeSlot: Int? { transactions.list.firstFreeSlot(hash: hash) }

  @inline(__always)
  fileprivate func append(on thread: UInt, slot: Int) {
    let pending = TransactionSet.Pending(selector: pair.selector, attachment: word)
    transactions.list.append(pair.target, pair.number, pending, slot: slot)
    pendingThread = thread
    // Retained last, so that no local value must be kept across the call.
    // Consumed, so that the reference is not counted twice.
    let target = strongTarget.unsafelyUnwrapped
    _ = Unmanaged.passRetained(consume target)
  }
}

// Commits at a frame. T11.
extension Transaction {
  /// Commits the transaction for the next frame of `clock`, unless it is
  /// already pending.
  ///
  /// Call on the loop. Otherwise the same as `EventLoop.commit` with a clock.
  ///
  /// - Precondition: A strongly held target is alive, and `clock` belongs to the
  ///   transaction's loop.
  /// - Complexity: O(1). A load and a branch while the pair waits for a frame.
  ///   A commit of a pending pair does not allocate.
  @inlinable
  @inline(__always)
  public func commit(atNextFrameOf clock: FrameClock) {
    if _fastPath(frameThread == threadIdentity()) { return }
    Transaction.commitFirst(Unmanaged.passUnretained(self), clock)
  }

  @usableFromInline
  @inline(never)
  static func commitFirst(_ transaction: Unmanaged<Transaction>, _ clock: FrameClock) {
    transaction._withUnsafeGuaranteedRef { $0.commitFirst(clock) }
  }

  private func commitFirst(_ clock: FrameClock) {
    transactions.checkUsable("Transaction.commit")
    transactions.checkClock(clock, "Transaction.commit")
    if isLinked { return }
    guard let target else { return transactions.metrics.dead.add() }
    transactions.commit(self, target, atNextFrameOf: clock)
  }
}

extension Transaction {
  /// Returns the result of `body`, or false if the target has died.
  ///
  /// A weakly held target is retained during the call. If it died in between,
  /// another object could take its address, and the target's `deinit` could use
  /// the loop. A strongly held target keeps its memory.
  private func whileAlive(_ body: () -> Bool) -> Bool {
    guard holdsWeakly else { return body() }
    guard let weakTarget else { return false }
    return withExtendedLifetime(weakTarget, body)
  }

  /// Whether the pair is pending, by a commit of this transaction or any other
  /// commit.
  ///
  /// Call on the loop.
  public var isPending: Bool {
    transactions.checkThread("Transaction.isPending")
    return whileAlive { isLinked || transactions.isPending(pair) }
  }

  /// Cancels the pair if it is pending. Returns whether it was pending. Also
  /// ends the observation of a selector made with `Selector.withObservation`.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func cancel() -> Bool {
    transactions.checkThread("Transaction.cancel")
    return whileAlive { transactions.cancel(pair) }
  }

  /// Performs the pair at once if it is pending, and not again later. Returns
  /// whether it was pending. A pair that waits for a frame is pending, and is
  /// performed before its frame.
  ///
  /// Call on the loop. Does nothing in a forked child, because the parent
  /// performs the transaction.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func performIfNeeded() -> Bool {
    transactions.checkUsable("Transaction.performIfNeeded")
    return whileAlive { transactions.performIfNeeded(pair) }
  }
}
