// Committing at a clock's next frame. T11.
extension TransactionSet {
  /// Commits `pair` for the next frame of `clock`, unless it is pending.
  func commit(_ pair: TransactionPair, atNextFrameOf clock: FrameClock) {
    guard let frame = frameCommits(of: clock) else { return commit(pair) }
    guard !coalesce(pair, isWeak: false) else { return }
    traceCommit(pair)
    pair.retainTarget()
    willWait(pair, for: clock)
    frame.append(pair, Pending(selector: pair.selector))
  }

  /// Commits `transaction`, which is not linked to an entry, for the next frame
  /// of `clock`.
  func commit(_ transaction: Transaction, _ target: AnyObject, atNextFrameOf clock: FrameClock) {
    guard let frame = frameCommits(of: clock) else {
      return transaction.holdsWeakly
        ? commitWeakly(transaction) : commit(transaction, .passRetained(target))
    }
    let pair = transaction.pair
    if coalesce(pair, isWeak: transaction.holdsWeakly) {
      link(transaction)
      return
    }
    transaction.didLinkToFrame()
    traceCommit(pair)
    willWait(pair, for: clock)
    let pending = Pending(selector: pair.selector, attachment: transaction.word)
    guard transaction.holdsWeakly else {
      pair.retainTarget()
      return frame.append(pair, pending)
    }
    KeyedObject.retain(transaction)
    didAppendSlow()
    frame.append(pair, pending, isWeak: true)
  }

  /// Commits `selector` on `target` with `value` for the next frame of `clock`.
  /// If the pair is pending, combines the two values.
  func commit<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value,
    atNextFrameOf clock: FrameClock
  ) {
    guard let frame = frameCommits(of: clock) else { return commit(target, selector, value) }
    let pair = TransactionPair(target, selector)
    guard let pending = findValue(pair) else {
      traceCommit(pair)
      pair.retainTarget()
      return frame.append(pair, Self.pending(selector, value))
    }
    guard merge(value, into: pending, selector) else {
      return commit(target, selector, value, atNextFrameOf: clock)
    }
  }

  /// Commits the pair of `transaction`, which another thread committed, for the
  /// next frame of `clock`. Takes over the posted item's reference to the target.
  func commitPosted(_ transaction: PortTransaction, atNextFrameOf clock: FrameClock) {
    let pair = transaction.pair
    defer { pair.releaseTarget() }
    if let (frame, place) = findWaiting(pair) {
      metrics.coalesced.add()
      promoteToStrong(place, pair, in: frame.list)
      frame.keep(transaction.mark, of: pair)
    } else if findLive(pair) == nil, let frame = frameCommits(of: clock) {
      // Kept before the pair waits, because requesting the frame may call the
      // host, which may perform the pair.
      frame.keep(transaction.mark, of: pair)
      pair.retainTarget()
      willWait(pair, for: clock)
      frame.append(pair, Pending(selector: pair.selector))
    } else {
      // Cleared before the pair is pending, and so before its action runs.
      transaction.clearMark()
      commit(pair)
    }
  }

  /// Tells the selector that `pair` is about to wait for `clock`.
  private func willWait(_ pair: TransactionPair, for clock: FrameClock) {
    pair.withEntry {
      guard let observation = $0.observation, let loop else { return }
      observation.waitsForFrame(loop, KeyedObject.at(pair.target).takeUnretainedValue(), clock)
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

  /// Whether `pair` is pending. If so, counts a coalesced commit, which holds the
  /// target unless `isWeak`.
  private func coalesce(_ pair: TransactionPair, isWeak: Bool) -> Bool {
    if let place = findLive(pair) {
      if !isWeak { promoteToStrong(place, pair, in: list) }
    } else if let (frame, place) = findWaiting(pair) {
      if !isWeak { promoteToStrong(place, pair, in: frame.list) }
    } else {
      return false
    }
    metrics.coalesced.add()
    return true
  }

  /// Links `transaction` to the entry of its pair.
  private func link(_ transaction: Transaction) {
    if let place = findLive(transaction.pair) {
      transaction.didLink()
      link(transaction, at: place, in: list)
    } else if let (frame, place) = findWaiting(transaction.pair) {
      transaction.didLinkToFrame()
      link(transaction, at: place, in: frame.list)
    }
  }
}

// The lists of entries that wait for a frame.
extension TransactionSet {
  /// Returns the entry of `pair` that waits for a frame, if its target is alive.
  /// The caller retains the target.
  func findWaiting(_ pair: TransactionPair) -> (FrameCommits, List.Index)? {
    var frame = firstFrame
    while let current = frame {
      frame = current.next
      guard let place = Self.find(pair, in: current.list) else { continue }
      if place.tag == pair.number || isTargetAlive(current.list[place]) { return (current, place) }
      discardDeadEntry(current.remove(place, of: pair).payload)
    }
    return nil
  }

  /// Moves the entry of `pair` from a frame list to this list, as its newest
  /// entry, because the pair is committed without a clock.
  func bringForward(_ pair: TransactionPair) {
    guard firstFrame != nil, let (frame, place) = findWaiting(pair) else { return }
    let entry = frame.remove(place, of: pair)
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

  /// Removes the entry of `pair` that waits for a frame.
  func removeWaiting(_ pair: TransactionPair) -> List.Entry? {
    guard firstFrame != nil, let (frame, place) = findWaiting(pair) else { return nil }
    return frame.remove(place, of: pair)
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
