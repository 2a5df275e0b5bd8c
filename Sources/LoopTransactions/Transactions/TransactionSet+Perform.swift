// Performing: what leaves the set.
extension TransactionSet {
  /// Performs what is pending now, oldest first, within the loop's budget. What
  /// is committed meanwhile waits for the next flush. T3, T4.
  func flush() { flush(before: list.mark) }

  /// Takes note of what is pending before the `exit` observers are called: what
  /// they commit belongs to the next tick. T4, L8.
  ///
  /// - Parameter leavesNextTick: Whether a commit that the last flush left or made
  ///   stays pending, and all commits behind it.
  func prepareForExit(leavesNextTick: Bool) {
    exitMark = list.mark
    guard leavesNextTick, let loop else { return }
    // Passes over entries that were cancelled.
    _ = list.oldest()
    if list.hasEntries(before: list.boundary) || !loop.meter.hasRoom { exitMark = nil }
  }

  /// Performs what was pending before the `exit` observers were called.
  func flushAtExit() {
    if let exitMark { flush(before: exitMark) }
  }

  private func flush(before mark: UInt32) {
    // What a child inherited is the parent's to perform. I15.
    guard !isEmpty, !isInherited, let loop else { return }
    // Within another only where an action closes an adopted loop: it returns
    // when nothing is left.
    let isWithin = isFlushing
    guard !isWithin || loop.state == .closing else { return }
    isFlushing = true
    loop.meter.begin()
    performing { perform(before: mark, on: loop) }
    isFlushing = isWithin
    didFlush(mark)
  }

  @inline(__always)
  private func perform(before mark: UInt32, on loop: EventLoop) {
    while let entry = list.removeFirst(before: mark) {
      let counts = perform(entry)
      guard counts else { continue }
      loop.meter.didPerform()
      guard loop.meter.allowsMore(after: entry.payload.selector) else { break }
    }
  }

  /// Performs (`key`, `number`) now if it is pending; whether it was.
  func performIfNeeded(_ key: UInt, _ number: UInt32) -> Bool {
    guard !isInherited, let place = findLive(key, number) else { return false }
    let pending = list.remove(place)
    let entry = List.Entry(key: key, tag: place.tag, payload: pending)
    // Between two runs another loop of the thread may be its current one.
    if let loop {
      loop.asCurrent { _ = performing { perform(entry) } }
    } else {
      _ = performing { perform(entry) }
    }
    settle()
    return true
  }

  /// Forgets (`key`, `number`) if it is pending; whether it was.
  func cancel(_ key: UInt, _ number: UInt32) -> Bool {
    guard let place = findLive(key, number) else { return false }
    let pending = list.remove(place)
    metrics.cancelled.add()
    discard(List.Entry(key: key, tag: place.tag, payload: pending))
    settle()
    return true
  }

  /// Forgets everything there is now.
  func drop() {
    let mark = list.mark
    while let entry = list.removeFirst(before: mark) { discard(entry) }
    settle()
  }

  private func didFlush(_ mark: UInt32) {
    // What is pending from here on belongs to the next tick. T4.
    list.boundary = list.mark
    if list.hasEntries(before: mark) { metrics.carriedOver.add() }
    settle()
  }

  /// Says that there is nothing to do, if that is so.
  func settle() {
    list.settle()
    metrics.pendingTransactions.set(UInt64(count))
    if isEmpty { becomeDormant() }
  }

  /// Performs `entry`, which left the list; false if its target was dead.
  @inline(__always)
  private func perform(_ entry: List.Entry) -> Bool {
    if entry.payload.attachment != 0 {
      if entry.payload.valueBox != 0 || entry.tag & Self.weakTag != 0 { return performSlowly(entry) }
      unlink(entry.payload)
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
  private func performSlowly(_ entry: List.Entry) -> Bool {
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

  private func discard(_ entry: List.Entry) {
    unlink(entry.payload)
    _ = claimValueBox(entry.payload)
    _ = claimTarget(entry)
  }
}

// What an entry owns.
extension TransactionSet {
  /// The box of `pending`, whose value is a `Value`.
  static func valueBox<Value>(of pending: Pending) -> TypedValueBox<Value> {
    unsafeDowncast(
      KeyedObject.at(pending.valueBox).takeUnretainedValue(),
      to: TypedValueBox<Value>.self
    )
  }

  private func claimValueBox(_ pending: Pending) -> ValueBox? {
    guard pending.valueBox != 0 else { return nil }
    let box = unsafeDowncast(KeyedObject.at(pending.valueBox).takeRetainedValue(), to: ValueBox.self)
    box.isPending = false
    return box
  }

  /// The target, which the entry gives up; nil if it was weak and is dead.
  private func claimTarget(_ entry: List.Entry) -> AnyObject? {
    guard entry.tag & Self.weakTag != 0 else {
      return KeyedObject.at(entry.key).takeRetainedValue()
    }
    didRemoveWeakEntry()
    return Self.transaction(entry.payload.firstTransaction)?.takeRetainedValue().target
  }
}
