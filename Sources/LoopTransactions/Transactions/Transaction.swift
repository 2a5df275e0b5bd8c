/// One target and one selector, performed once per tick however often it is
/// committed.
///
/// Keep one where the same pair is committed again and again: a commit of what
/// is pending is then a load and a branch. `EventLoop.commit` makes do without.
/// Belongs to the loop's thread, where it must be dropped while it is pending.
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
/// A transaction does not keep its target alive until it is committed; then the
/// target lives until it is performed, or as its `hold` says. After
/// YYTransaction.
public final class Transaction {
  /// Whether a pending transaction keeps its target alive.
  public enum Hold: Hashable, Sendable {
    /// The target lives until it is performed.
    case strong
    /// A target that dies is skipped, and counted.
    case weak
  }

  // The loop's thread while pending, else 0: one comparison tells a commit that
  // it is on that thread, and that there is nothing to do. Unchecked: one thread.
  @usableFromInline @exclusivity(unchecked) var pendingThread: UInt = 0

  let transactions: TransactionSet
  let key: UInt
  let address: UInt
  let number: UInt32
  let holdsWeakly: Bool

  // One of the two. Not a weak reference where an unowned one will do: a weak
  // one moves the target's counts to a side table, and each of its retains then
  // costs 20 ns more.
  private weak var weakTarget: AnyObject?
  private unowned let strongTarget: AnyObject?

  // The next kept transaction of the same pair, while pending.
  @exclusivity(unchecked) var next: UInt = 0

  /// A transaction of `selector` on `target`, to be committed to `loop`.
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
    key = UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
    address = selector.address
    number = selector.number
    holdsWeakly = hold == .weak
    strongTarget = hold == .weak ? nil : target
    weakTarget = hold == .weak ? target : nil
  }

  deinit {
    guard isLinked else { return }
    transactions.checkThread("Transaction.deinit")
    transactions.unlink(self)
  }

  /// The target; nil if it is held weakly and died.
  var target: AnyObject? { holdsWeakly ? weakTarget : strongTarget }

  /// Whether it waits, and its entry in the set knows of it.
  var isLinked: Bool { pendingThread != 0 }

  /// Takes note that it waits.
  @inline(__always)
  func didLink() { pendingThread = transactions.thread }

  /// Takes note that it does not wait any more; returns the next one.
  @inline(__always)
  func unlink() -> UInt {
    pendingThread = 0
    defer { next = 0 }
    return next
  }

  /// The object's own address.
  var word: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Performs the transaction before the loop next waits, unless it is pending.
  ///
  /// Call on the loop. A commit made while transactions are being performed, of
  /// the one at hand too, is performed in the next tick, which comes at once. A
  /// target that is held weakly and is gone is counted, and nothing happens.
  ///
  /// - Precondition: A target that is held strongly is alive.
  /// - Complexity: O(1). While pending, a load and a branch; never an allocation.
  @inlinable
  @inline(__always)
  public func commit() {
    if _fastPath(pendingThread == threadIdentity()) { return }
    // Unmanaged: as an argument, `self` would be retained before the branch. The
    // caller keeps it alive until this returns. Not `Self`: its metadata would be
    // looked up, and this not inlined into other modules.
    Transaction.commitFirst(Unmanaged.passUnretained(self))
  }

  @usableFromInline
  @inline(never)
  static func commitFirst(_ transaction: Unmanaged<Transaction>) {
    transaction._withUnsafeGuaranteedRef { $0.commitFirst() }
  }

  private func commitFirst() {
    transactions.checkUsable("Transaction.commit")
    guard let target else { return transactions.metrics.dead.add() }
    transactions.commit(self, .passRetained(target))
  }
}

extension Transaction {
  /// What `body` says of the pair; false if its target died.
  ///
  /// A target that is held weakly is kept alive meanwhile: when it dies, another
  /// object may take the address that is looked up, and its end may use the loop.
  /// One that is held strongly keeps its memory.
  private func whileAlive(_ body: () -> Bool) -> Bool {
    guard holdsWeakly else { return body() }
    guard let weakTarget else { return false }
    return withExtendedLifetime(weakTarget, body)
  }

  /// Whether the pair is committed and not performed yet, by whichever commit.
  ///
  /// Call on the loop.
  public var isPending: Bool {
    transactions.checkThread("Transaction.isPending")
    return whileAlive { isLinked || transactions.findLive(key, number) != nil }
  }

  /// Forgets the pair if it is pending; whether it was.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func cancel() -> Bool {
    transactions.checkThread("Transaction.cancel")
    return whileAlive { transactions.cancel(key, number) }
  }

  /// Performs the pair at once if it is pending, and not again later; whether
  /// it was.
  ///
  /// Call on the loop. Does nothing in a child process, whose parent performs it.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func performIfNeeded() -> Bool {
    transactions.checkUsable("Transaction.performIfNeeded")
    return whileAlive { transactions.performIfNeeded(key, number) }
  }
}
