// Weakly held targets, and `Transaction` objects linked from entries.
extension TransactionSet {
  /// Returns the entry of `pair` if its target is alive. The caller retains the
  /// target, so it cannot die during the call.
  func findLive(_ pair: TransactionPair) -> List.Index? {
    if let place = list.find(pair.target, pair.number) { return place }
    guard slowCount > 0, let place = list.find(pair.target, pair.number | Self.weakTag) else {
      return nil
    }
    if isTargetAlive(list[place]) { return place }
    // The target has died, and another object has taken its address.
    discardDeadEntry(list.remove(place))
    didRemoveEntries()
    return nil
  }

  /// Whether the target of a weak entry is alive.
  func isTargetAlive(_ pending: Pending) -> Bool {
    let holder = Self.transaction(pending.firstTransaction)
    return holder?._withUnsafeGuaranteedRef { $0.target } != nil
  }

  /// Whether the pair waits for the tick or for a frame, and its target is
  /// alive. The caller retains the target.
  func isPending(_ pair: TransactionPair) -> Bool {
    findLive(pair) != nil || findWaiting(pair) != nil
  }

  /// Makes a weak entry of `list` retain its target.
  func promoteToStrong(_ place: List.Index, _ pair: TransactionPair, in list: List) {
    guard place.tag & Self.weakTag != 0 else { return }
    pair.retainTarget()
    list.setTag(pair.number, at: place)
    didRemoveSlow()
    // The transaction stays linked, but the entry no longer retains it.
    let holder = list[place].firstTransaction
    Self.transaction(holder)?.release()
  }

  /// Links `transaction` to the pending entry at `place` of `list`.
  func link(_ transaction: Transaction, at place: List.Index, in list: List) {
    var pending = list[place]
    if let head = Self.transaction(pending.firstTransaction)?.takeUnretainedValue() {
      transaction.next = head.next
      head.next = transaction.word
      pending.attachment |= Pending.severalBit
    } else {
      pending.attachment = transaction.word
    }
    list[place] = pending
  }

  /// Marks the linked transactions of an entry as not pending.
  func unlink(_ pending: Pending) {
    guard let first = Self.transaction(pending.firstTransaction) else { return }
    first._withUnsafeGuaranteedRef { unlinkAll(from: $0.unlink()) }
  }

  private func unlinkAll(from first: UInt) {
    var word = first
    while let transaction = Self.transaction(word) {
      word = transaction._withUnsafeGuaranteedRef { $0.unlink() }
    }
  }

  /// Unlinks a transaction that is being freed while it is pending.
  func unlink(_ transaction: Transaction) {
    var (list, frame) = (list, firstFrame)
    var found = Self.find(transaction.pair, in: list)
    while found == nil, let current = frame {
      (list, frame) = (current.list, current.next)
      found = Self.find(transaction.pair, in: list)
    }
    guard let place = found else { return }
    var pending = list[place]
    if pending.firstTransaction == transaction.word {
      pending.attachment = transaction.next
      if transaction.next != 0 { pending.attachment |= Pending.severalBit }
      list[place] = pending
      return
    }
    var word = pending.firstTransaction
    while let other = Self.transaction(word)?.takeUnretainedValue() {
      if other.next == transaction.word { other.next = transaction.next }
      word = other.next
    }
  }

  /// Returns the entry of `pair` in `list`, whether or not its target is alive.
  static func find(_ pair: TransactionPair, in list: List) -> List.Index? {
    list.find(pair.target, pair.number) ?? list.find(pair.target, pair.number | weakTag)
  }

  /// Returns the transaction at the address `word`, or nil if it is 0.
  static func transaction(_ word: UInt) -> Unmanaged<Transaction>? {
    .ifAny(at: word)
  }

  /// Releases the references of a removed entry whose target has died.
  func discardDeadEntry(_ pending: Pending) {
    metrics.dead.add()
    didRemoveSlow()
    unlink(pending)
    Self.transaction(pending.firstTransaction)?.release()
  }
}
