/// The pending transactions that wait for the next frame of a clock, in commit
/// order.
///
/// An entry is the same as in a `TransactionSet`, and moves there when the frame
/// begins or when its pair is committed without a clock. A pair has an entry in
/// the set or in one of its frame lists, never in two of them. I5. Belongs to
/// the loop's thread.
final class FrameCommits: FramePart {
  typealias List = TransactionSet.List

  // Exclusivity is unchecked for the same reason as in `TransactionSet`.
  @exclusivity(unchecked) var list = List()
  /// The next list of the set with entries.
  @exclusivity(unchecked) var next: FrameCommits?

  // The clock retains the list. Cancelling the clock empties the list.
  private unowned let clock: FrameClock
  private unowned let set: TransactionSet

  // The transactions whose marks are set, because each has committed a pair of
  // this list. I32.
  private var marked: [PortTransaction] = []

  init(_ clock: FrameClock, _ set: TransactionSet) {
    self.clock = clock
    self.set = set
  }

  deinit { list.free() }

  var isEmpty: Bool { list.count == 0 }

  /// Appends an entry, which owns its references. Comes last in a commit,
  /// because the first entry may call the host of the clock.
  func append(_ key: UInt, _ tag: UInt32, _ pending: TransactionSet.Pending) {
    list.append(key, tag, pending)
    set.didAppendSlow()
    guard list.count == 1 else { return }
    set.insert(self)
    clock.requestFrame()
  }

  /// Removes the entry at `place`. Does not release its references.
  func remove(_ place: List.Index, _ key: UInt) -> List.Entry {
    let entry = List.Entry(key: key, tag: place.tag, payload: list.remove(place))
    set.didRemoveSlow()
    clearMarks(of: entry)
    if isEmpty { becomeEmpty() }
    return entry
  }

  /// Moves all entries to the set, in order.
  func beginFrame() {
    guard !isEmpty else { return }
    clearMarks()
    set.appending {
      while let entry = removeFirst() { set.move(entry) }
      becomeEmpty()
    }
  }

  /// Removes the first entry. The caller calls `becomeEmpty()` after the last.
  func removeFirst() -> List.Entry? {
    guard let entry = list.removeFirst(before: list.mark) else { return nil }
    set.didRemoveSlow()
    return entry
  }

  /// Called when the last entry was removed.
  func becomeEmpty() {
    list.settle()
    set.remove(self)
    clock.withdrawRequest()
  }

  /// Keeps the mark of `transaction` set until its pair leaves this list, so
  /// that the commits of other threads are coalesced without waking the loop.
  func keepMark(of transaction: PortTransaction) { marked.append(transaction) }

  /// Clears all marks. Commits of other threads are posted from now on.
  func clearMarks() {
    // The transactions are released outside of the access.
    let cleared = marked
    guard !cleared.isEmpty else { return }
    marked = []
    for transaction in cleared { transaction.clearMark() }
  }

  private func clearMarks(of entry: List.Entry) {
    guard !marked.isEmpty else { return }
    let number = entry.tag & ~TransactionSet.weakTag
    let cleared = marked.filter { $0.isOf(entry.key, number) }
    marked.removeAll { $0.isOf(entry.key, number) }
    for transaction in cleared { transaction.clearMark() }
  }
}

// Committing at a clock's next frame. T11.
extension TransactionSet {
  /// Commits (`key`, `selector`) for the next frame of `clock`, unless it is
  /// pending.
  func commit(_ key: UInt, _ selector: UInt, _ number: UInt32, atNextFrameOf clock: FrameClock) {
    guard let frame = frameCommits(of: clock) else { return commit(key, selector, number) }
    guard !coalesce(key, number, isWeak: false) else { return }
    _ = KeyedObject.at(key).retain()
    frame.append(key, number, Pending(selector: selector))
  }

  /// Commits `transaction`, which is not linked to an entry, for the next frame
  /// of `clock`.
  func commit(_ transaction: Transaction, _ target: AnyObject, atNextFrameOf clock: FrameClock) {
    guard let frame = frameCommits(of: clock) else {
      return commit(transaction, .passRetained(target))
    }
    let (key, number) = (transaction.key, transaction.number)
    if coalesce(key, number, isWeak: transaction.holdsWeakly) {
      link(transaction)
      return
    }
    transaction.didLinkToFrame()
    let pending = Pending(selector: transaction.address, attachment: transaction.word)
    guard transaction.holdsWeakly else {
      _ = KeyedObject.at(key).retain()
      return frame.append(key, number, pending)
    }
    _ = Unmanaged.passRetained(transaction)
    didAppendSlow()
    frame.append(key, number | Self.weakTag, pending)
  }

  /// Commits a pair with `value` for the next frame of `clock`. If it is
  /// pending, combines the two values.
  func commit<Target, Value>(
    _ key: UInt,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value,
    atNextFrameOf clock: FrameClock
  ) {
    guard let frame = frameCommits(of: clock) else { return commit(key, selector, value) }
    guard let pending = findValue(key, selector.number) else {
      _ = KeyedObject.at(key).retain()
      return frame.append(key, selector.number, Self.pending(selector, value))
    }
    guard merge(value, into: pending, selector) else {
      return commit(key, selector, value, atNextFrameOf: clock)
    }
  }

  /// Commits the pair of `transaction`, which another thread committed, for the
  /// next frame of `clock`. Takes over the reference to the target at `key`.
  func commitPosted(
    _ transaction: PortTransaction,
    _ key: UInt,
    _ number: UInt32,
    atNextFrameOf clock: FrameClock
  ) {
    defer { KeyedObject.at(key).release() }
    if let (frame, place) = findWaiting(key, number) {
      metrics.coalesced.add()
      promoteToStrong(place, key, number, in: frame.list)
      frame.keepMark(of: transaction)
    } else if findLive(key, number) == nil, let frame = frameCommits(of: clock) {
      // Kept before the pair waits, because requesting the frame may call the
      // host, which may perform the pair.
      frame.keepMark(of: transaction)
      _ = KeyedObject.at(key).retain()
      frame.append(key, number, Pending(selector: transaction.address))
    } else {
      // Cleared before the pair is pending, and so before its action runs.
      transaction.clearMark()
      commit(key, transaction.address, number)
    }
  }

  /// Returns the list of the commits that wait for `clock`, or nil if the clock
  /// will have no frame.
  private func frameCommits(of clock: FrameClock) -> FrameCommits? {
    guard clock.isActive, let loop, loop.takesCommits else { return nil }
    if let commits = clock.commits { return unsafeDowncast(commits, to: FrameCommits.self) }
    let made = FrameCommits(clock, self)
    clock.commits = made
    return made
  }

  /// Traps unless `clock` belongs to this loop.
  func checkClock(_ clock: FrameClock, _ operation: StaticString) {
    guard clock.core === core else {
      trap("\(operation): the frame clock belongs to another loop; pass a clock of this loop")
    }
  }

  /// Whether the pair is pending. If so, counts a coalesced commit, which holds
  /// the target unless `isWeak`.
  private func coalesce(_ key: UInt, _ number: UInt32, isWeak: Bool) -> Bool {
    if let place = findLive(key, number) {
      if !isWeak { promoteToStrong(place, key, number, in: list) }
    } else if let (frame, place) = findWaiting(key, number) {
      if !isWeak { promoteToStrong(place, key, number, in: frame.list) }
    } else {
      return false
    }
    metrics.coalesced.add()
    return true
  }

  /// Links `transaction` to the entry of its pair.
  private func link(_ transaction: Transaction) {
    let (key, number) = (transaction.key, transaction.number)
    if let place = findLive(key, number) {
      transaction.didLink()
      link(transaction, at: place, in: list)
    } else if let (frame, place) = findWaiting(key, number) {
      transaction.didLinkToFrame()
      link(transaction, at: place, in: frame.list)
    }
  }
}

// The lists of entries that wait for a frame.
extension TransactionSet {
  /// Returns the entry of (`key`, `number`) that waits for a frame, if its
  /// target is alive. The caller retains the target.
  func findWaiting(_ key: UInt, _ number: UInt32) -> (FrameCommits, List.Index)? {
    var frame = firstFrame
    while let current = frame {
      frame = current.next
      if let place = current.list.find(key, number) { return (current, place) }
      guard let place = current.list.find(key, number | Self.weakTag) else { continue }
      if isTargetAlive(current.list[place]) { return (current, place) }
      discardDeadEntry(current.remove(place, key).payload)
    }
    return nil
  }

  /// Moves the entry of (`key`, `number`) from a frame list to this list, as
  /// its newest entry, because the pair is committed without a clock.
  func bringForward(_ key: UInt, _ number: UInt32) {
    guard firstFrame != nil, let (frame, place) = findWaiting(key, number) else { return }
    let entry = frame.remove(place, key)
    appending { move(entry) }
  }

  /// Appends an entry that was removed from a frame list.
  func move(_ entry: List.Entry) {
    list.append(entry.key, entry.tag, entry.payload)
    var word = entry.payload.firstTransaction
    while let transaction = Self.transaction(word)?.takeUnretainedValue() {
      transaction.frameDidEnd()
      word = transaction.next
    }
  }

  /// Removes the entry of (`key`, `number`) that waits for a frame.
  func removeWaiting(_ key: UInt, _ number: UInt32) -> List.Entry? {
    guard firstFrame != nil, let (frame, place) = findWaiting(key, number) else { return nil }
    return frame.remove(place, key)
  }

  /// Adds `frame` to the lists with entries.
  func insert(_ frame: FrameCommits) {
    frame.next = firstFrame
    firstFrame = frame
  }

  /// Removes `frame` from the lists with entries.
  func remove(_ frame: FrameCommits) {
    if firstFrame === frame {
      firstFrame = frame.next
    } else {
      var previous = firstFrame
      while let current = previous, current.next !== frame { previous = current.next }
      previous?.next = frame.next
    }
    frame.next = nil
  }

  /// Makes all entries that wait for a frame pending in this list.
  func beginAllFrames() {
    while let frame = firstFrame { frame.beginFrame() }
  }

  /// Drops all entries that wait for a frame.
  func dropFrames() {
    while let frame = firstFrame {
      frame.clearMarks()
      while let entry = frame.removeFirst() { discard(entry) }
      frame.becomeEmpty()
    }
  }

  /// The number of entries that wait for a frame.
  var waitingCount: Int {
    var (count, frame) = (0, firstFrame)
    while let current = frame {
      count += current.list.count
      frame = current.next
    }
    return count
  }
}
