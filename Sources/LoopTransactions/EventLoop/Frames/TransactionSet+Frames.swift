// Committing at a clock's next frame. T11.
extension TransactionSet {
  /// Commits (`key`, `selector`) for the next frame of `clock`, unless it is
  /// pending.
  func commit(_ key: UInt, _ selector: UInt, _ number: UInt32, atNextFrameOf clock: FrameClock) {
    guard let frame = frameCommits(of: clock) else { return commit(key, selector, number) }
    guard !coalesce(key, number, isWeak: false) else { return }
    traceCommit(key, number)
    _ = KeyedObject.at(key).retain()
    willWait(key, selector, clock)
    frame.append(key, number, Pending(selector: selector))
  }

  /// Commits `transaction`, which is not linked to an entry, for the next frame
  /// of `clock`.
  func commit(_ transaction: Transaction, _ target: AnyObject, atNextFrameOf clock: FrameClock) {
    guard let frame = frameCommits(of: clock) else {
      return transaction.holdsWeakly
        ? commitWeakly(transaction) : commit(transaction, .passRetained(target))
    }
    let (key, number) = (transaction.key, transaction.number)
    if coalesce(key, number, isWeak: transaction.holdsWeakly) {
      link(transaction)
      return
    }
    transaction.didLinkToFrame()
    traceCommit(key, number)
    willWait(key, transaction.address, clock)
    let pending = Pending(selector: transaction.address, attachment: transaction.word)
    guard transaction.holdsWeakly else {
      _ = KeyedObject.at(key).retain()
      return frame.append(key, number, pending)
    }
    KeyedObject.retain(transaction)
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
      traceCommit(key, selector.number)
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
      frame.keep(transaction.mark, of: key, number)
    } else if findLive(key, number) == nil, let frame = frameCommits(of: clock) {
      // Kept before the pair waits, because requesting the frame may call the
      // host, which may perform the pair.
      frame.keep(transaction.mark, of: key, number)
      _ = KeyedObject.at(key).retain()
      willWait(key, transaction.address, clock)
      frame.append(key, number, Pending(selector: transaction.address))
    } else {
      // Cleared before the pair is pending, and so before its action runs.
      transaction.clearMark()
      commit(key, transaction.address, number)
    }
  }

  /// Tells the selector that the pair is about to wait for `clock`.
  private func willWait(_ key: UInt, _ selector: UInt, _ clock: FrameClock) {
    SelectorEntry.unmanaged(at: selector)._withUnsafeGuaranteedRef {
      guard let observation = $0.observation, let loop else { return }
      observation.waitsForFrame(loop, KeyedObject.at(key).takeUnretainedValue(), clock)
    }
  }

  /// Returns the list of the commits that wait for `clock`, or nil if the clock
  /// will have no frame.
  private func frameCommits(of clock: FrameClock) -> FrameCommits? {
    guard clock.isActive, let loop, loop.takesCommits else { return nil }
    if let commits = clock.commits { return commits }
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
