// Committing transactions.
extension TransactionSet {
  /// Commits (`key`, `selector`) unless it is pending.
  @inline(__always)
  func commit(_ key: UInt, _ selector: UInt, _ number: UInt32) {
    let hash = List.hash(key, number)
    guard slowCount == 0, let slot = list.firstFreeSlot(hash: hash) else {
      if list.isInFirstSlot(key, number, hash: hash) { return metrics.coalesced.add() }
      return commitSlowly(key, selector, number, hash: hash)
    }
    list.append(key, number, Pending(selector: selector), slot: slot)
    // Adding the first entry notifies the host of an embedded loop. The host's
    // code may use the set, so the target must be retained before.
    if _slowPath(list.count == 1) { return becomePending(retaining: key) }
    // Retained last, so that no local value must be kept across the call.
    _ = KeyedObject.at(key).retain()
  }

  /// Commits a pair, and takes over the caller's reference to the target.
  func commitOwned(_ key: UInt, _ selector: UInt, _ number: UInt32) {
    let pending = Pending(selector: selector)
    guard
      slowCount == 0,
      list.appendOnce(key, number, pending, hash: List.hash(key, number))
    else {
      commit(key, selector, number)
      return KeyedObject.at(key).release()
    }
    didAppend()
  }

  /// Commits a pair with `value`. If it is pending, combines the two values.
  func commit<Target, Value>(
    _ key: UInt,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) {
    bringForward(key, selector.number)
    guard let place = list.find(key, selector.number) else {
      traceCommit(key, selector.number)
      return append(key, selector.number, Self.pending(selector, value))
    }
    guard merge(value, into: list[place], selector) else { return commit(key, selector, value) }
  }

  /// The data of a new entry with `value`.
  static func pending<Target, Value>(
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) -> Pending {
    Pending(selector: selector.address, attachment: UInt(retaining: TypedValueBox(value)) | 1)
  }

  /// The data of the pair's entry, which carries a value, in any list.
  func findValue(_ key: UInt, _ number: UInt32) -> Pending? {
    if let place = list.find(key, number) { return list[place] }
    return findWaiting(key, number).map { $0.0.list[$0.1] }
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
    let (key, number) = (transaction.key, transaction.number)
    transaction.didLink()
    let pending = Pending(selector: transaction.address, attachment: transaction.word)
    guard slowCount == 0, list.appendOnce(key, number, pending, hash: transaction.hash) else {
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
    let (key, number) = (transaction.key, transaction.number)
    // If the transaction waits for a frame, it is linked to the pair's entry.
    let isLinked = transaction.isLinkedToFrame
    bringForward(key, number)
    if let place = findLive(key, number) {
      metrics.coalesced.add()
      if !transaction.holdsWeakly { promoteToStrong(place, key, number, in: list) }
      if !isLinked { link(transaction, at: place, in: list) }
    } else if transaction.holdsWeakly {
      traceCommit(key, number)
      appendWeak(transaction)
    } else {
      traceCommit(key, number)
      append(key, number, Pending(selector: transaction.address, attachment: transaction.word))
    }
  }

  // Looking up a weak entry may remove it and reset the list, so no slot is kept
  // across it.
  @inline(never)
  private func commitSlowly(
    _ key: UInt,
    _ selector: UInt,
    _ number: UInt32,
    hash: UInt64
  ) {
    if slowCount == 0 {
      let pending = Pending(selector: selector)
      guard list.appendOnce(key, number, pending, hash: hash) else {
        return metrics.coalesced.add()
      }
      _ = KeyedObject.at(key).retain()
      return didAppend()
    }
    bringForward(key, number)
    guard let place = findLive(key, number) else {
      traceCommit(key, number)
      return append(key, number, Pending(selector: selector))
    }
    metrics.coalesced.add()
    promoteToStrong(place, key, number, in: list)
  }

  @inline(__always)
  private func append(_ key: UInt, _ number: UInt32, _ pending: Pending) {
    _ = KeyedObject.at(key).retain()
    list.append(key, number, pending)
    didAppend()
  }

  private func appendWeak(_ transaction: Transaction) {
    KeyedObject.retain(transaction)
    didAppendSlow()
    list.append(
      transaction.key,
      transaction.number | Self.weakTag,
      Pending(selector: transaction.address, attachment: transaction.word)
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
  private func becomePending(retaining key: UInt) {
    _ = KeyedObject.at(key).retain()
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
