// Targets held weakly, and kept transactions.
extension TransactionSet {
  /// The entry of (`key`, `number`), whose target lives: the caller holds it, so
  /// that it does not die in here.
  func findLive(_ key: UInt, _ number: UInt32) -> List.Place? {
    if let place = list.find(key, number) { return place }
    guard weakCount > 0, let place = list.find(key, number | Self.weakTag) else { return nil }
    if Self.transaction(list[place].firstTransaction)?._withUnsafeGuaranteedRef({ $0.target }) != nil {
      return place
    }
    // The target died, and another object took its address.
    discardDeadEntry(list.remove(place))
    settle()
    return nil
  }

  /// Makes an entry that holds its target weakly hold it strongly.
  func promoteToStrong(_ place: List.Place, _ key: UInt, _ number: UInt32) {
    guard place.tag & Self.weakTag != 0 else { return }
    _ = KeyedObject.at(key).retain()
    list.retag(place, number)
    didRemoveWeakEntry()
    // It stays linked, as one that is kept by its user alone.
    let holder = list[place].firstTransaction
    Self.transaction(holder)?.release()
  }

  /// Lets `transaction` know when the entry at `place` is performed.
  func link(_ transaction: Transaction, at place: List.Place) {
    var pending = list[place]
    if let head = Self.transaction(pending.firstTransaction)?.takeUnretainedValue() {
      transaction.next = head.next
      head.next = transaction.word
    } else {
      pending.attachment = transaction.word
      list[place] = pending
    }
  }

  /// Tells the kept transactions of an entry that they are not pending any more.
  @inline(__always)
  func unlink(_ pending: Pending) {
    var word = pending.firstTransaction
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
    if pending.firstTransaction == transaction.word {
      pending.attachment = transaction.next
      list[place] = pending
      return
    }
    var word = pending.firstTransaction
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
  func didRemoveWeakEntry() { weakCount -= 1 }

  /// Takes note that nothing is pending.
  func becomeDormant() {
    guard let observer, !observer.isDormant else { return }
    observer.isDormant = true
    loop?.endPendingWork()
  }

  private func discardDeadEntry(_ pending: Pending) {
    metrics.dead.add()
    didRemoveWeakEntry()
    unlink(pending)
    Self.transaction(pending.firstTransaction)?.release()
  }
}
