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
    var companion: UInt = 0

    /// The first kept transaction; 0: none.
    var kept: UInt { companion & 1 == 0 ? companion : 0 }

    /// The box of a value; 0: none.
    var value: UInt { companion & 1 == 0 ? 0 : companion & ~1 }
  }

  typealias List = KeyedFIFO<Pending>

  /// Set in the tag of an entry whose target is held weakly.
  static let weakTag: UInt32 = 1 << 31

  // Unchecked: one thread, and no access spans a call of an action.
  @exclusivity(unchecked) var list = List()
  @exclusivity(unchecked) private var weakCount = 0
  @exclusivity(unchecked) var isFlushing = false
  // What the flush at `exit` performs; nil: nothing.
  var exitMark: UInt32?
  /// How many calls that perform are under way, one within the other.
  @exclusivity(unchecked) private var depth = 0
  /// Told of each action that threw.
  var errorHandler: (TransactionError) -> Void = TransactionSet.reportToStandardError
  private(set) unowned(unsafe) var loop: EventLoop?
  private var observer: Observer?
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
    errorHandler = Self.reportToStandardError
    withExtendedLifetime(old) {}
  }

  private static func reportToStandardError(_ failure: TransactionError) {
    System.report("\(failure)")
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
    depth += 1
    defer {
      depth -= 1
      if depth == 0, loop == nil { dropErrorHandler() }
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

  func commitPosted(kept transaction: UInt, target: UInt) {
    guard let loop, let transaction = UnsafeRawPointer(bitPattern: transaction) else { return }
    Unmanaged<PortTransaction>.fromOpaque(transaction).takeRetainedValue()
      .wasTaken(by: loop, target: target)
  }

  func willDropPosted(kept transaction: UInt) {
    guard let transaction = UnsafeRawPointer(bitPattern: transaction) else { return }
    Unmanaged<PortTransaction>.fromOpaque(transaction)._withUnsafeGuaranteedRef {
      $0.willBeDropped()
    }
  }

  var holdsAnything: Bool { !isEmpty }

  func loopDidClose() {
    loop = nil
    // The action that closed it may throw still.
    if depth == 0 { dropErrorHandler() }
  }

  func loopWasReleased() {
    loopDidClose()
    // Kept transactions would stay pending and hold their targets.
    drop()
  }

  func leaveInChild() { loopDidClose() }

  func updateMetrics(_ metrics: MetricsCells) { metrics.pendingTransactions.set(UInt64(count)) }
}

// Committing.
extension TransactionSet {
  /// Commits (`key`, `selector`) unless it is pending.
  @inline(__always)
  func commit(_ key: UInt, _ selector: UInt, _ number: UInt32) {
    guard let slot = list.freeSlot(key, number) else { return metrics.coalesced.add() }
    if _slowPath(weakCount > 0) { return commitAmongWeak(key, selector, number) }
    list.append(key, number, Pending(selector: selector), slot: slot)
    // The first one tells an embedding's host, whose code must find the entry whole.
    if _slowPath(list.count == 1) { return beginToOwe(retaining: key) }
    // Last: what is known so far need not outlive a call.
    _ = KeyedObject.at(key).retain()
  }

  /// Commits as above, and takes over the caller's hold of the target.
  func commitOwned(_ key: UInt, _ selector: UInt, _ number: UInt32) {
    guard weakCount == 0, let slot = list.freeSlot(key, number) else {
      commit(key, selector, number)
      return KeyedObject.at(key).release()
    }
    list.append(key, number, Pending(selector: selector), slot: slot)
    didAppend()
  }

  /// Commits as above with `value`, which is joined to one that waits.
  func commit<Target, Value>(
    _ key: UInt,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) {
    guard let place = list.find(key, selector.number) else {
      let box = Unmanaged<ValueBox>.passRetained(TypedValueBox(value))
      let pending = Pending(
        selector: selector.address,
        companion: UInt(bitPattern: box.toOpaque()) | 1
      )
      return append(key, selector.number, pending)
    }
    let box: TypedValueBox<Value> = Self.value(list[place])
    // Released outside the access: what goes with it may commit the pair again.
    let (old, changes) = (box.value, box.changes)
    let joined = joining { selector.join(old, value) }
    guard box.isPending, box.changes == changes else {
      // The joining performed, cancelled or committed the pair: its result is of
      // a value that is gone.
      return commit(key, selector, value)
    }
    metrics.coalesced.add()
    box.change(to: joined)
    withExtendedLifetime(old) {}
  }

  /// Calls `body`, which merges: the commit goes on after it, and needs the loop.
  private func joining<Value>(_ body: () -> Value) -> Value {
    guard let loop else { return body() }
    return loop.withoutClosing("the merge of a Selector.Carrying", body)
  }

  /// Commits a kept transaction that is not marked as pending, and takes over the
  /// caller's hold of `target`.
  @inline(__always)
  func commit(_ transaction: Transaction, _ target: Unmanaged<AnyObject>) {
    let (key, number) = (transaction.key, transaction.number)
    transaction.didLink()
    guard weakCount == 0, !transaction.holdsWeakly, let slot = list.freeSlot(key, number) else {
      commitSlowly(transaction)
      return target.release()
    }
    let pending = Pending(selector: transaction.address, companion: transaction.word)
    list.append(key, number, pending, slot: slot)
    didAppend()
  }

  @inline(never)
  private func commitSlowly(_ transaction: Transaction) {
    let (key, number) = (transaction.key, transaction.number)
    if let place = findLive(key, number) {
      metrics.coalesced.add()
      if !transaction.holdsWeakly { strengthen(place, key, number) }
      link(transaction, at: place)
    } else if transaction.holdsWeakly {
      appendWeakly(transaction)
    } else {
      append(key, number, Pending(selector: transaction.address, companion: transaction.word))
    }
  }

  // Looking for a weak entry may drop it, and move every slot.
  @inline(never)
  private func commitAmongWeak(_ key: UInt, _ selector: UInt, _ number: UInt32) {
    guard let place = findLive(key, number) else {
      return append(key, number, Pending(selector: selector))
    }
    metrics.coalesced.add()
    strengthen(place, key, number)
  }

  @inline(__always)
  private func append(_ key: UInt, _ number: UInt32, _ pending: Pending) {
    _ = KeyedObject.at(key).retain()
    list.append(key, number, pending)
    didAppend()
  }

  private func appendWeakly(_ transaction: Transaction) {
    _ = Unmanaged.passRetained(transaction)
    weakCount += 1
    list.append(
      transaction.key,
      transaction.number | Self.weakTag,
      Pending(selector: transaction.address, companion: transaction.word)
    )
    didAppend()
  }

  // Only the first of a set has to be told: until it is empty again the loop
  // stays armed. I2.
  @inline(__always)
  private func didAppend() {
    if _slowPath(list.count == 1) { beginToOwe() }
  }

  @inline(never)
  private func beginToOwe(retaining key: UInt) {
    _ = KeyedObject.at(key).retain()
    beginToOwe()
  }

  /// Tells the loop, and by it the host of an embedded one. Call it last: the host's
  /// code may use the loop.
  @inline(never)
  private func beginToOwe() {
    guard let observer, let loop else { return }
    // A flush may empty the set and fill it again before it settles.
    guard observer.isDormant else { return loop.arm() }
    observer.isDormant = false
    loop.beginPendingWork()
  }
}

// Targets held weakly, and kept transactions.
extension TransactionSet {
  /// The entry of (`key`, `number`), whose target lives: the caller holds it, so
  /// that it does not die in here.
  func findLive(_ key: UInt, _ number: UInt32) -> List.Index? {
    if let place = list.find(key, number) { return place }
    guard weakCount > 0, let place = list.find(key, number | Self.weakTag) else { return nil }
    if Self.transaction(list[place].kept)?._withUnsafeGuaranteedRef({ $0.target }) != nil {
      return place
    }
    // The target died, and another object took its address.
    discardDead(list.remove(place))
    settle()
    return nil
  }

  /// Makes an entry that holds its target weakly hold it strongly.
  private func strengthen(_ place: List.Index, _ key: UInt, _ number: UInt32) {
    guard place.tag & Self.weakTag != 0 else { return }
    _ = KeyedObject.at(key).retain()
    list.retag(place, number)
    didTakeWeak()
    // It stays linked, as one that is kept by its user alone.
    let holder = list[place].kept
    Self.transaction(holder)?.release()
  }

  /// Lets `transaction` know when the entry at `place` is performed.
  private func link(_ transaction: Transaction, at place: List.Index) {
    var pending = list[place]
    if let head = Self.transaction(pending.kept)?.takeUnretainedValue() {
      transaction.next = head.next
      head.next = transaction.word
    } else {
      pending.companion = transaction.word
      list[place] = pending
    }
  }

  /// Tells the kept transactions of an entry that they are not pending any more.
  @inline(__always)
  func unlink(_ pending: Pending) {
    var word = pending.kept
    while let transaction = Self.transaction(word) {
      word = transaction._withUnsafeGuaranteedRef { $0.unlink() }
    }
  }

  /// Takes out a kept transaction that goes while it is pending.
  func unlink(_ transaction: Transaction) {
    let (key, number) = (transaction.key, transaction.number)
    guard let place = list.find(key, number) ?? list.find(key, number | Self.weakTag) else {
      return
    }
    var pending = list[place]
    if pending.kept == transaction.word {
      pending.companion = transaction.next
      list[place] = pending
      return
    }
    var word = pending.kept
    while let other = Self.transaction(word)?.takeUnretainedValue() {
      if other.next == transaction.word { other.next = transaction.next }
      word = other.next
    }
  }

  /// The kept transaction at `word`, if there is one.
  static func transaction(_ word: UInt) -> Unmanaged<Transaction>? {
    UnsafeRawPointer(bitPattern: word).map { .fromOpaque($0) }
  }

  /// Takes note that one target fewer is held weakly.
  func didTakeWeak() { weakCount -= 1 }

  /// Takes note that nothing is pending.
  func becomeDormant() {
    guard let observer, !observer.isDormant else { return }
    observer.isDormant = true
    loop?.endPendingWork()
  }

  private func discardDead(_ pending: Pending) {
    metrics.dead.add()
    didTakeWeak()
    unlink(pending)
    Self.transaction(pending.kept)?.release()
  }
}
