// Committing transactions.
extension TransactionSet {
  /// Commits `pair` unless it is pending.
  @inline(__always)
  func commit(_ pair: TransactionPair) {
    let hash = pair.hash
    guard slowCount == 0, let slot = list.firstFreeSlot(hash: hash) else {
      if list.isInFirstSlot(pair.target, pair.number, hash: hash) { return metrics.coalesced.add() }
      return commitSlowly(pair, hash: hash)
    }
    list.append(pair.target, pair.number, Pending(selector: pair.selector), slot: slot)
    // Adding the first entry notifies the host of an embedded loop. The host's
    // code may use the set, so the target must be retained before.
    if _slowPath(list.count == 1) { return becomePending(retaining: pair.target) }
    // Retained last, so that no local value must be kept across the call.
    pair.retainTarget()
  }

  /// Commits `pair`, and takes over the caller's reference to the target.
  func commitOwned(_ pair: TransactionPair) {
    guard slowCount == 0, appendOnce(pair, hash: pair.hash) else {
      commit(pair)
      return pair.releaseTarget()
    }
    didAppend()
  }

  /// Commits `selector` on `target` with `value`. If the pair is pending,
  /// combines the two values.
  func commit<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) {
    let pair = TransactionPair(target, selector)
    bringForward(pair)
    guard let place = list.find(pair.target, pair.number) else {
      traceCommit(pair)
      return append(pair, Self.pending(selector, value))
    }
    guard merge(value, into: list[place], selector) else { return commit(target, selector, value) }
  }

  /// The data of a new entry with `value`.
  static func pending<Target, Value>(
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) -> Pending {
    Pending(selector: selector.address, attachment: UInt(retaining: TypedValueBox(value)) | 1)
  }

  /// The data of the pair's entry, which carries a value, in any list.
  func findValue(_ pair: TransactionPair) -> Pending? {
    if let place = list.find(pair.target, pair.number) { return list[place] }
    return findWaiting(pair).map { $0.0.list[$0.1] }
  }

  /// Combines `value` with the value of `pending`. Returns false if the merge
  /// closure used the pair, so that the commit must be repeated.
  func merge<Target, Value>(
    _ value: Value,
    into pending: Pending,
    _ selector: Selector<Target>.Carrying<Value>
  ) -> Bool {
    let box: TypedValueBox<Value> = Self.valueBox(of: pending)
    // The old value is released outside of the access, because its `deinit` may
    // commit the pair again.
    let (old, changes) = (box.value, box.changes)
    let joined = joining { selector.join(old, value) }
    guard box.isPending, box.changes == changes else {
      // The merge closure performed, cancelled or committed the pair. Its
      // result used a value that is no longer pending.
      return false
    }
    metrics.coalesced.add()
    box.change(to: joined)
    withExtendedLifetime(old) {}
    return true
  }

  /// Calls `body`, a merge closure. `close()` traps while `body` runs, because
  /// the commit needs the loop afterwards.
  private func joining<Value>(_ body: () -> Value) -> Value {
    guard let loop else { return body() }
    return loop.withoutClosing("the merge of a Selector.Carrying", body)
  }

  /// Commits a `Transaction` that holds its target strongly and is not marked as
  /// pending. Takes over the caller's reference to `target`.
  @inline(__always)
  func commit(_ transaction: Transaction, _ target: Unmanaged<AnyObject>) {
    assert(!transaction.holdsWeakly)
    transaction.didLink()
    guard slowCount == 0,
      appendOnce(transaction.pair, attachment: transaction.word, hash: transaction.hash)
    else {
      commitSlowly(transaction)
      return target.release()
    }
    didAppend()
  }

  /// Commits a `Transaction` that holds its target weakly and is not marked as
  /// pending.
  func commitWeakly(_ transaction: Transaction) {
    transaction.didLink()
    commitSlowly(transaction)
  }

  @inline(never)
  private func commitSlowly(_ transaction: Transaction) {
    let pair = transaction.pair
    // If the transaction waits for a frame, it is linked to the pair's entry.
    let isLinked = transaction.isLinkedToFrame
    bringForward(pair)
    if let place = findLive(pair) {
      metrics.coalesced.add()
      if !transaction.holdsWeakly { promoteToStrong(place, pair, in: list) }
      if !isLinked { link(transaction, at: place, in: list) }
    } else if transaction.holdsWeakly {
      traceCommit(pair)
      appendWeak(transaction)
    } else {
      traceCommit(pair)
      append(pair, Pending(selector: pair.selector, attachment: transaction.word))
    }
  }

  // Looking up a weak entry may remove it and reset the list, so no slot is kept
  // across it.
  @inline(never)
  private func commitSlowly(_ pair: TransactionPair, hash: UInt64) {
    if slowCount == 0 {
      guard appendOnce(pair, hash: hash) else { return metrics.coalesced.add() }
      pair.retainTarget()
      return didAppend()
    }
    bringForward(pair)
    guard let place = findLive(pair) else {
      traceCommit(pair)
      return append(pair, Pending(selector: pair.selector))
    }
    metrics.coalesced.add()
    promoteToStrong(place, pair, in: list)
  }

  /// Appends an entry that owns no reference yet, unless `pair` has one. Returns
  /// whether it was appended.
  @inline(__always)
  private func appendOnce(_ pair: TransactionPair, attachment: UInt = 0, hash: UInt64) -> Bool {
    let pending = Pending(selector: pair.selector, attachment: attachment)
    return list.appendOnce(pair.target, pair.number, pending, hash: hash)
  }

  @inline(__always)
  private func append(_ pair: TransactionPair, _ pending: Pending) {
    pair.retainTarget()
    list.append(pair.target, pair.number, pending)
    didAppend()
  }

  private func appendWeak(_ transaction: Transaction) {
    KeyedObject.retain(transaction)
    didAppendSlow()
    list.append(
      transaction.pair.target,
      transaction.pair.number | Self.weakTag,
      Pending(selector: transaction.pair.selector, attachment: transaction.word)
    )
    didAppend()
  }

  /// Calls `body`, which appends entries. Comes last in its caller, because it
  /// may call the host of an embedded loop.
  func appending(_ body: () -> Void) {
    let wasEmpty = isEmpty
    body()
    if wasEmpty, !isEmpty { becomePending() }
  }

  // Only the first entry arms the loop. The loop stays armed until the set is
  // empty again. I2.
  @inline(__always)
  private func didAppend() {
    if _slowPath(list.count == 1) { becomePending() }
  }

  @inline(never)
  private func becomePending(retaining target: UInt) {
    _ = KeyedObject.at(target).retain()
    becomePending()
  }

  /// Tells the loop that transactions are pending. The loop may call the host
  /// of an embedded loop. This must come last, because the host's code may use
  /// the loop.
  @inline(never)
  private func becomePending() {
    guard let observer, let loop else { return }
    // The set may have been emptied and refilled by a flush that has not
    // settled yet.
    guard observer.isDormant else { return loop.arm() }
    observer.isDormant = false
    loop.beginPendingWork()
  }

  /// Called when nothing is pending any more.
  func becomeDormant() {
    guard let observer, !observer.isDormant else { return }
    observer.isDormant = true
    loop?.endPendingWork()
  }
}
