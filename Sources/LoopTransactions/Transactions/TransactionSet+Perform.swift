// Performing and removing transactions.
extension TransactionSet {
  /// Performs the pending transactions in commit order, within the loop's
  /// budget. Commits made during the flush wait for the next flush. T3, T4.
  func flush() { flush(before: list.mark) }

  /// Marks the end of the pending transactions before the `exit` observers are
  /// called. Commits of those observers belong to the next tick. T4, L8.
  ///
  /// - Parameter leavesNextTick: Whether commits stay pending that belong to the
  ///   next tick: the last flush carried them over, or received them. All commits
  ///   behind them then stay pending too.
  func prepareForExit(leavesNextTick: Bool) {
    exitMark = list.mark
    guard leavesNextTick, let loop else { return }
    // Skips cancelled entries.
    _ = list.oldest()
    if list.hasEntries(before: list.boundary) || !loop.meter.hasRoom { exitMark = nil }
  }

  /// Performs the transactions that were pending before the `exit` observers
  /// were called.
  func flushAtExit() {
    if let exitMark { flush(before: exitMark) }
  }

  private func flush(before mark: UInt32) {
    guard !isEmpty, let loop else { return }
    let isMeasured = _slowPath(core.needsSlowTick)
    // The parent performs the transactions that a child process inherits.
    if isMeasured, isInherited { return }
    // Flushes nest only if an action closes an adopted loop. The outer flush
    // ends when nothing is left.
    let isWithin = isFlushing
    guard !isWithin || loop.state == .closing else { return }
    isFlushing = true
    if isMeasured { loop.enterTick() }
    let recorder = loop.recorder
    let outer = recorder?.pointee.enter()
    if isMeasured { recorder?.pointee.beginFlush() }
    loop.meter.begin()
    performDepth += 1
    performAll(before: mark, on: loop, recorder)
    endPerforming()
    if let recorder, let outer { recorder.pointee.end(outer) }
    isFlushing = isWithin
    didFlush(mark)
  }

  @inline(__always)
  private func performAll(
    before mark: UInt32,
    on loop: EventLoop,
    _ recorder: UnsafeMutablePointer<Recorder>?
  ) {
    // The targets of so many transactions have left the caches. With 1,000 targets,
    // a prefetch takes longer than the cache misses. Of 100,000, each took 31 ns
    // instead of 38.
    let isLarge = list.isLarge
    while let entry = list.removeFirst(before: mark) {
      if _slowPath(isLarge) { System.prefetchForWriting(list.fourthKey) }
      if let recorder {
        let owner = SelectorEntry.at(entry.payload.selector).owner
        recorder.pointee.begin(owner, arrow: Self.traceKey(entry.key, tag: entry.tag))
      }
      guard perform(entry) else { continue }
      loop.meter.didPerform()
      guard loop.meter.allowsMore(after: entry.payload.selector) else { break }
    }
  }

  /// Performs `pair` at once if it is pending. Returns whether it was pending.
  func performIfNeeded(_ pair: TransactionPair) -> Bool {
    guard !isInherited, let entry = removeLive(pair) else { return false }
    // Between two runs, another loop of the thread may be the current one.
    performDepth += 1
    if let loop { loop.asCurrent { _ = perform(entry) } } else { _ = perform(entry) }
    endPerforming()
    didRemoveEntries()
    return true
  }

  /// Cancels `pair` if it is pending, and ends its observation. Returns whether
  /// it was pending. The caller retains the target.
  func cancel(_ pair: TransactionPair) -> Bool {
    pair.withEntry {
      guard let observation = $0.observation, let loop else { return }
      observation.end(loop, pair)
    }
    guard let entry = removeLive(pair) else { return false }
    metrics.cancelled.add()
    discard(entry)
    didRemoveEntries()
    return true
  }

  /// Removes the entry of `pair`, if its target is alive.
  private func removeLive(_ pair: TransactionPair) -> List.Entry? {
    guard let place = findLive(pair) else { return removeWaiting(pair) }
    return List.Entry(key: pair.target, tag: place.tag, payload: list.remove(place))
  }

  /// Drops all entries that are pending now.
  func drop() {
    let mark = list.mark
    while let entry = list.removeFirst(before: mark) { discard(entry) }
    didRemoveEntries()
  }

  private func didFlush(_ mark: UInt32) {
    // Commits from here on belong to the next tick.
    list.boundary = list.mark
    if list.hasEntries(before: mark) { metrics.carriedOver.add() }
    didRemoveEntries()
  }

  /// Called after entries were removed. Updates the metrics, and ends the loop's
  /// pending work if the set is empty.
  func didRemoveEntries() {
    list.resetIfEmpty()
    updatePending(metrics)
    if isEmpty { becomeDormant() }
  }

  /// Performs `entry`, which was removed from the list. Returns false if its
  /// target has died.
  @inline(__always)
  private func perform(_ entry: List.Entry) -> Bool {
    if entry.payload.attachment != 0 {
      let isWeak = entry.tag & Self.weakTag != 0
      if isWeak || !entry.payload.isSingle { return performLinked(entry) }
      Self.transaction(entry.payload.attachment)?._withUnsafeGuaranteedRef { $0.unlinkSingle() }
    }
    let target = KeyedObject.at(entry.key)
    SelectorEntry.unmanaged(at: entry.payload.selector)._withUnsafeGuaranteedRef { selector in
      target._withUnsafeGuaranteedRef { call(selector, $0) }
    }
    target.release()
    return true
  }

  @inline(__always)
  private func call(_ selector: SelectorEntry, _ target: AnyObject) {
    metrics.performed.add()
    do { try selector.action(target) } catch { reportError(error, selector) }
  }

  @inline(never)
  private func reportError(_ error: any Error, _ selector: SelectorEntry) {
    errorHandler(
      TransactionError(error: error, targetType: selector.targetType, selector: selector.name)
    )
  }

  @inline(never)
  private func performLinked(_ entry: List.Entry) -> Bool {
    unlink(entry.payload)
    let value = claimValueBox(entry.payload)
    guard let target = claimTarget(entry) else {
      metrics.dead.add()
      return false
    }
    let selector = SelectorEntry.at(entry.payload.selector)
    guard let value, let action = selector.valueAction else {
      call(selector, target)
      return true
    }
    metrics.performed.add()
    do { try action(target, value) } catch { reportError(error, selector) }
    return true
  }

  /// Releases the references of `entry`, which was removed from its list.
  func discard(_ entry: List.Entry) {
    unlink(entry.payload)
    _ = claimValueBox(entry.payload)
    _ = claimTarget(entry)
  }
}

// Ownership of an entry's objects.
extension TransactionSet {
  /// Returns the box of `pending`, whose value has type `Value`.
  static func valueBox<Value>(of pending: Pending) -> TypedValueBox<Value> {
    unsafeDowncast(
      KeyedObject.at(pending.valueBox).takeUnretainedValue(),
      to: TypedValueBox<Value>.self
    )
  }

  private func claimValueBox(_ pending: Pending) -> ValueBox? {
    guard pending.valueBox != 0 else { return nil }
    let object = KeyedObject.at(pending.valueBox).takeRetainedValue()
    let box = unsafeDowncast(object, to: ValueBox.self)
    box.isPending = false
    return box
  }

  /// Takes over the entry's reference to its target. Returns nil if the target
  /// was held weakly and has died.
  private func claimTarget(_ entry: List.Entry) -> AnyObject? {
    guard entry.tag & Self.weakTag != 0 else {
      return KeyedObject.at(entry.key).takeRetainedValue()
    }
    didRemoveSlow()
    return Self.transaction(entry.payload.firstTransaction)?.takeRetainedValue().target
  }
}
