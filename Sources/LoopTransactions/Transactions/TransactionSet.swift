/// The transactions of a loop that are pending, in the order of their commits.
///
/// Identity is the target's address and the selector's number. While an entry is
/// here its target is retained, or, if it is held weakly, the `Transaction` that
/// knows the target is. Belongs to the loop's thread. I5.
@usableFromInline
final class TransactionSet {
  /// What waits with a target: words, so that the list moves bits.
  struct Pending: BitwiseCopyable {
    /// The address of the selector's entry.
    let selector: UInt
    /// The first of the kept transactions that are pending by this entry, or,
    /// marked in its lowest bit, the retained box of a value; 0: neither. A
    /// selector that carries values has no kept transactions.
    var attachment: UInt = 0

    /// The first kept transaction; 0: none.
    var firstTransaction: UInt { attachment & 1 == 0 ? attachment : 0 }

    /// The box of a value; 0: none.
    var valueBox: UInt { attachment & 1 == 0 ? 0 : attachment & ~1 }
  }

  typealias List = KeyedFIFO<Pending>

  /// Set in the tag of an entry whose target is held weakly.
  static let weakTag: UInt32 = 1 << 31

  // Unchecked: one thread, and no access spans a call of an action.
  @exclusivity(unchecked) var list = List()
  @exclusivity(unchecked) var weakCount = 0
  @exclusivity(unchecked) var isFlushing = false
  // What the flush at `exit` performs; nil: nothing.
  var exitMark: UInt32?
  /// How many calls that perform are under way, one within the other.
  @exclusivity(unchecked) private var performDepth = 0
  /// Told of each action that threw.
  var errorHandler: (TransactionError) -> Void = TransactionSet.logToStandardError
  private(set) unowned(unsafe) var loop: EventLoop?
  private(set) var observer: Observer?
  private let core: PortCore

  /// An empty set, for the loop of `core`.
  init(core: PortCore) {
    self.core = core
  }

  deinit { list.free() }

  @inline(__always)
  var metrics: MetricsCells { core.metrics }

  /// The thread of the loop.
  var thread: UInt { core.thread }

  /// Whether the loop is that of a parent process.
  var isInherited: Bool { core.isForked }

  // What goes with a user's handler may ask for it.
  private func dropErrorHandler() {
    let old = errorHandler
    errorHandler = Self.logToStandardError
    withExtendedLifetime(old) {}
  }

  private static func logToStandardError(_ failure: TransactionError) {
    System.logToStandardError("\(failure)")
  }

  // As YYTransaction: behind Core Animation's commit at 2,000,000, so that a
  // display commit there sees the state before, and the next one the state after.
  static let order = 0xFFFFFF

  /// Traps unless the caller is on the loop's thread.
  @inline(__always)
  func checkThread(_ operation: StaticString) { core.checkThread(operation) }

  /// Traps unless the caller is on the loop's thread and the loop is open.
  func checkUsable(_ operation: StaticString) {
    checkThread(operation)
    if let loop { return loop.checkUsable(operation) }
    trap("\(operation): the loop is closed; make a new one, or call this before close()")
  }

  /// Calls `body`, which performs.
  @inline(__always)
  func performing<Result>(_ body: () -> Result) -> Result {
    performDepth += 1
    defer {
      performDepth -= 1
      if performDepth == 0, loop == nil { dropErrorHandler() }
    }
    return body()
  }

  @inline(__always)
  var isEmpty: Bool { list.count == 0 }

  @inline(__always)
  var count: Int { list.count }
}

// As a part of its loop.
extension TransactionSet: PendingCommits {
  /// Performs the set in `loop` from now on, at order 0xFFFFFF.
  func attach(to loop: EventLoop) {
    self.loop = loop
    let observer = loop.addObserver(
      for: [.beforeWaiting, .exit],
      order: Self.order
    ) { [unowned(unsafe) self] activity in
      if activity == .beforeWaiting { flush() } else { flushAtExit() }
    }
    observer.isDormant = true
    self.observer = observer
  }

  func commitPosted(selector: UInt, target: UInt) {
    let entry = SelectorEntry.unmanaged(at: selector)
    commitOwned(target, selector, entry._withUnsafeGuaranteedRef { $0.number })
  }

  func commitPosted(portTransaction transaction: UInt, target: UInt) {
    guard let loop, let transaction = UnsafeRawPointer(bitPattern: transaction) else { return }
    Unmanaged<PortTransaction>.fromOpaque(transaction).takeRetainedValue()
      .wasTaken(by: loop, target: target)
  }

  func willDropPosted(portTransaction transaction: UInt) {
    guard let transaction = UnsafeRawPointer(bitPattern: transaction) else { return }
    Unmanaged<PortTransaction>.fromOpaque(transaction)._withUnsafeGuaranteedRef {
      $0.willBeDropped()
    }
  }

  var holdsAnything: Bool { !isEmpty }

  func loopDidClose() {
    loop = nil
    // The action that closed it may throw still.
    if performDepth == 0 { dropErrorHandler() }
  }

  func loopWasReleased() {
    loopDidClose()
    // Kept transactions would stay pending and hold their targets.
    drop()
  }

  func leaveInChild() { loopDidClose() }

  func updateMetrics(_ metrics: MetricsCells) { metrics.pendingTransactions.set(UInt64(count)) }
}
