// Committing.
extension TransactionSet {
  /// Commits (`key`, `selector`) unless it is pending.
  @inline(__always)
  func commit(_ key: UInt, _ selector: UInt, _ number: UInt32) {
    guard let slot = list.freeSlot(key, number) else { return metrics.coalesced.add() }
    if _slowPath(weakCount > 0) { return commitAmongWeak(key, selector, number) }
    list.append(key, number, Pending(selector: selector), slot: slot)
    // The first one tells an embedding's host, whose code must find the entry whole.
    if _slowPath(list.count == 1) { return becomePending(retaining: key) }
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
        attachment: UInt(bitPattern: box.toOpaque()) | 1
      )
      return append(key, selector.number, pending)
    }
    let box: TypedValueBox<Value> = Self.valueBox(of: list[place])
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
    let pending = Pending(selector: transaction.address, attachment: transaction.word)
    list.append(key, number, pending, slot: slot)
    didAppend()
  }

  @inline(never)
  private func commitSlowly(_ transaction: Transaction) {
    let (key, number) = (transaction.key, transaction.number)
    if let place = findLive(key, number) {
      metrics.coalesced.add()
      if !transaction.holdsWeakly { promoteToStrong(place, key, number) }
      link(transaction, at: place)
    } else if transaction.holdsWeakly {
      appendWeak(transaction)
    } else {
      append(key, number, Pending(selector: transaction.address, attachment: transaction.word))
    }
  }

  // Looking for a weak entry may drop it, and move every slot.
  @inline(never)
  private func commitAmongWeak(_ key: UInt, _ selector: UInt, _ number: UInt32) {
    guard let place = findLive(key, number) else {
      return append(key, number, Pending(selector: selector))
    }
    metrics.coalesced.add()
    promoteToStrong(place, key, number)
  }

  @inline(__always)
  private func append(_ key: UInt, _ number: UInt32, _ pending: Pending) {
    _ = KeyedObject.at(key).retain()
    list.append(key, number, pending)
    didAppend()
  }

  private func appendWeak(_ transaction: Transaction) {
    _ = Unmanaged.passRetained(transaction)
    weakCount += 1
    list.append(
      transaction.key,
      transaction.number | Self.weakTag,
      Pending(selector: transaction.address, attachment: transaction.word)
    )
    didAppend()
  }

  // Only the first of a set has to be told: until it is empty again the loop
  // stays armed. I2.
  @inline(__always)
  private func didAppend() {
    if _slowPath(list.count == 1) { becomePending() }
  }

  @inline(never)
  private func becomePending(retaining key: UInt) {
    _ = KeyedObject.at(key).retain()
    becomePending()
  }

  /// Tells the loop, and by it the host of an embedded one. Call it last: the host's
  /// code may use the loop.
  @inline(never)
  private func becomePending() {
    guard let observer, let loop else { return }
    // A flush may empty the set and fill it again before it settles.
    guard observer.isDormant else { return loop.arm() }
    observer.isDormant = false
    loop.beginPendingWork()
  }
}
