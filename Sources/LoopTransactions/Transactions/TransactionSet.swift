/// The pending transactions of a loop, in commit order.
///
/// A transaction is identified by the address of its target and the number of
/// its selector. An entry retains its target. A weak entry retains the
/// `Transaction` that references the target weakly. Belongs to the loop's
/// thread. I5.
@usableFromInline
final class TransactionSet {
  /// The data of an entry besides its key. It is trivial, so the list copies it
  /// as bits.
  struct Pending: BitwiseCopyable {
    /// The address of the selector's entry.
    let selector: UInt
    /// Either the first linked `Transaction`, or the retained box of a value
    /// with the lowest bit set, or 0. A selector that carries values has no
    /// linked transactions.
    var attachment: UInt = 0

    /// Set in the attachment while several transactions may be linked. Without
    /// it, an action need not look for a second one.
    static let severalBit: UInt = 2

    /// The address of the first linked transaction, or 0.
    var firstTransaction: UInt { attachment & 1 == 0 ? attachment & ~Self.severalBit : 0 }

    /// Whether one transaction is linked and no value is attached.
    @inline(__always)
    var isSingle: Bool { attachment & (Self.severalBit | 1) == 0 }

    /// The address of the value's box, or 0.
    var valueBox: UInt { attachment & 1 == 0 ? 0 : attachment & ~1 }
  }

  typealias List = KeyedFIFO<Pending>

  /// Set in the tag of a weak entry.
  static let weakTag: UInt32 = 1 << 31

  // Exclusivity is unchecked, because one thread has access and no access spans
  // the call of an action.
  @exclusivity(unchecked) var list = List()
  // The number of weak entries, plus the number of entries that wait for a
  // frame, plus 1 while a trace runs. If 0, a commit looks up one entry only.
  @exclusivity(unchecked) private(set) var slowCount = 0
  private var isTraced = false
  // The first frame list with entries.
  @exclusivity(unchecked) var firstFrame: FrameCommits?
  @exclusivity(unchecked) var isFlushing = false
  // The end of the entries that the flush at `exit` performs. If nil, that
  // flush performs no entries.
  var exitMark: UInt32?
  /// The nesting depth of calls that perform transactions.
  @exclusivity(unchecked) var performDepth = 0
  /// Called with the error of each action that throws.
  var errorHandler: (TransactionError) -> Void = TransactionSet.logToStandardError
  private(set) unowned(unsafe) var loop: EventLoop?
  private(set) var observer: Observer?
  let core: PortCore

  /// Creates an empty set for the loop of `core`.
  init(core: PortCore) {
    self.core = core
  }

  deinit { list.free() }

  @inline(__always)
  var metrics: MetricsCells { core.metrics }

  /// The identity of the loop's thread.
  var thread: UInt { core.thread }

  /// Whether the loop was inherited from the parent process.
  var isInherited: Bool { core.isForked }

  // The old handler is released after the access, because a `deinit` of its
  // captures may read the property.
  private func dropErrorHandler() {
    let old = errorHandler
    errorHandler = Self.logToStandardError
    withExtendedLifetime(old) {}
  }

  private static func logToStandardError(_ failure: TransactionError) {
    System.logToStandardError("\(failure)")
  }

  // The order that YYTransaction uses. Core Animation commits earlier in a tick,
  // at 2,000,000, so a change that a transaction makes is shown one tick later.
  static let order = 0xFFFFFF

  /// Counts the addition of a weak entry, or of an entry that waits for a frame.
  func didAppendSlow() { slowCount += 1 }

  /// Reverts one `didAppendSlow()`.
  func didRemoveSlow() { slowCount -= 1 }

  /// Traps unless the caller is on the loop's thread.
  @inline(__always)
  func checkThread(_ operation: StaticString) { core.checkThread(operation) }

  /// Whether `thread` is the loop's, the loop is open, and a commit looks up one
  /// entry only and arms nothing.
  @inline(__always)
  func isReady(on thread: UInt) -> Bool {
    core.thread == thread && core.hasLoop && slowCount == 0 && list.count > 0
  }

  /// Traps unless the caller is on the loop's thread and the loop is open.
  @inline(__always)
  func checkUsable(_ operation: StaticString) {
    // The core of a closed loop has no loop.
    if _fastPath(core.isOnThread && core.hasLoop) { return }
    checkUsableSlowly(operation)
  }

  @inline(never)
  private func checkUsableSlowly(_ operation: StaticString) {
    checkThread(operation)
    if let loop { return loop.checkUsable(operation) }
    trap("\(operation): the loop is closed; make a new one, or call this before close()")
  }

  /// Must be called after transactions were performed, with `performDepth`
  /// increased by one.
  @inline(__always)
  func endPerforming() {
    performDepth -= 1
    if performDepth == 0, loop == nil { dropErrorHandler() }
  }

  @inline(__always)
  var isEmpty: Bool { list.count == 0 }

  @inline(__always)
  var count: Int { list.count }
}

// The set as a part of its loop.
extension TransactionSet: LoopPart {
  /// Performs the set's transactions in `loop`, at order 0xFFFFFF.
  func attach(to loop: EventLoop) {
    self.loop = loop
    let observer = loop.addObserver(
      for: [.beforeWaiting, .exit],
      order: Self.order,
      place: nil
    ) { [unowned(unsafe) self] activity in
      if activity == .beforeWaiting { flush() } else { flushAtExit() }
    }
    observer.isDormant = true
    self.observer = observer
  }

  /// Starts or stops to record commits for a trace.
  func setTraced(_ isTraced: Bool) {
    guard isTraced != self.isTraced else { return }
    self.isTraced = isTraced
    slowCount += isTraced ? 1 : -1
  }

  /// Records for a trace that a pair was committed. X3.
  func traceCommit(_ pair: TransactionPair) {
    if isTraced { loop?.beginArrow(.commit, Self.traceKey(pair.target, tag: pair.number)) }
  }

  /// Identifies the pair of an entry while it is pending.
  static func traceKey(_ target: UInt, tag: UInt32) -> UInt64 {
    UInt64(target) ^ UInt64(tag & ~weakTag) << 40
  }

  /// Commits a pair that another thread committed, and takes over the reference
  /// to the target.
  ///
  /// - Parameters:
  ///   - selector: The address of the selector's entry.
  ///   - target: The target's address.
  func commitPosted(selector: UInt, target: UInt) {
    let entry = SelectorEntry.unmanaged(at: selector)
    let number = entry._withUnsafeGuaranteedRef { $0.number }
    commitOwned(TransactionPair(target: target, selector: selector, number: number))
  }

  /// Commits the `PortTransaction` at an address, which another thread committed,
  /// and releases it. Takes over the reference to the target.
  func commitPosted(portTransaction transaction: UInt) {
    guard let loop else { return }
    Unmanaged<PortTransaction>.at(transaction).takeRetainedValue().wasTaken(by: loop)
  }

  /// Called before the posted `PortTransaction` at an address is dropped because
  /// the loop was released. The transaction's next commit is then refused and does
  /// not join the dropped commit.
  func willDropPosted(portTransaction transaction: UInt) {
    Unmanaged<PortTransaction>.at(transaction)._withUnsafeGuaranteedRef { $0.clearMark() }
  }

  var holdsAnything: Bool { !isEmpty }

  var unfinishedWork: [String] {
    guard let oldest = list.oldest() else { return [] }
    let name = SelectorEntry.at(oldest.payload.selector).owner.name
    let others = count - 1
    guard others > 0 else { return ["transaction \(name)"] }
    return ["transaction \(name) and \(others) other\(others == 1 ? "" : "s")"]
  }

  // No frame follows, and a flush that runs does not go on.
  func processWillExit() {
    isFlushing = false
    beginAllFrames()
  }

  // Later commits wait for no frame, because the loop takes none.
  func loopWillClose() { beginAllFrames() }

  func loopDidClose() {
    loop = nil
    // The action that closed the loop may still throw.
    if performDepth == 0 { dropErrorHandler() }
  }

  func loopWasReleased() {
    loopDidClose()
    // Dropped, because linked transactions would otherwise stay pending and
    // retain their targets.
    drop()
    dropFrames()
  }

  func leaveInChild() { loopDidClose() }

  func updateMetrics(_ metrics: MetricsCells) { updatePending(metrics) }

  /// Updates the number of pending transactions.
  func updatePending(_ metrics: MetricsCells) {
    metrics.pendingTransactions.set(UInt64(firstFrame == nil ? count : count + waitingCount))
  }
}

/// An error that the action of a `Transaction` threw; an operation of an
/// `AsyncTransaction` reports its error in an `Outcome`.
///
/// The other transactions are still performed. A value: read it on any thread.
public struct TransactionError: Error, CustomStringConvertible {
  /// The error that the action threw.
  public let error: any Error

  /// The class of the target.
  public let targetType: Any.Type

  /// The name of the selector.
  public let selector: String

  /// The target type, the selector and the error, in one line.
  public var description: String {
    "LoopTransactions: \(targetType).\(selector) threw \(error)"
  }
}

extension EventLoop {
  /// Called with the error of each action that throws. By default, errors are
  /// written to standard error.
  ///
  /// Call on the loop.
  public var errorHandler: (TransactionError) -> Void {
    get {
      checkThread("EventLoop.errorHandler")
      return transactions.errorHandler
    }
    set {
      checkThread("EventLoop.errorHandler")
      // The old handler is released outside of the access, because a `deinit`
      // of its captures may use the loop.
      let old = transactions.errorHandler
      transactions.errorHandler = newValue
      withExtendedLifetime(old) {}
    }
  }
}
