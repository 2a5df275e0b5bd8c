extension EventLoop {
  /// Commits `selector` on `target`: performs it before the loop next waits,
  /// and only once even if it is committed again until then.
  ///
  /// Call on the loop. The first commit of a pair determines its position in
  /// the order. A commit made while transactions are being performed is
  /// performed in the next tick, which does not block. This includes commits of
  /// the pair being performed.
  ///
  /// - Parameters:
  ///   - target: Retained until performed. Identified by object identity, not
  ///     by `==`.
  ///   - selector: The action to perform.
  /// - Complexity: O(1). Committing a pending pair does not allocate.
  @inlinable
  @inline(__always)
  public func commit<Target>(_ target: Target, _ selector: Selector<Target>) {
    withExtendedLifetime(target) { commit(TransactionPair(target, selector)) }
  }

  /// Commits `selector` on `target` with `value`. If the pair is pending, the
  /// selector determines how the two values are combined.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  public func commit<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) {
    checkUsable("EventLoop.commit")
    transactions.commit(target, selector, value)
  }

  /// Returns whether `selector` on `target` is committed and not performed yet.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  public func isPending<Target>(_ target: Target, _ selector: Selector<Target>) -> Bool {
    checkThread("EventLoop.isPending")
    return withExtendedLifetime(target) {
      transactions.isPending(TransactionPair(target, selector))
    }
  }

  /// Cancels `selector` on `target` if it is pending. Returns whether it was
  /// pending.
  ///
  /// If the selector was made with `Selector.withObservation`, changes do not
  /// commit the pair any more until it is performed again.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func cancel<Target>(_ target: Target, _ selector: Selector<Target>) -> Bool {
    checkThread("EventLoop.cancel")
    return withExtendedLifetime(target) {
      transactions.cancel(TransactionPair(target, selector))
    }
  }

  /// Performs `selector` on `target` at once if it is pending, and not again
  /// later. Returns whether it was pending. A pair that waits for a frame is
  /// pending, and is performed before its frame.
  ///
  /// Call on the loop. Does nothing in a forked child, because the parent
  /// performs the transaction.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func performIfNeeded<Target>(_ target: Target, _ selector: Selector<Target>) -> Bool {
    checkUsable("EventLoop.performIfNeeded")
    return withExtendedLifetime(target) {
      transactions.performIfNeeded(TransactionPair(target, selector))
    }
  }

  /// Returns whether `selector` on `target`, with a value, is committed and not
  /// performed yet.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  public func isPending<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>
  ) -> Bool {
    checkThread("EventLoop.isPending")
    return withExtendedLifetime(target) {
      transactions.isPending(TransactionPair(target, selector))
    }
  }

  /// Cancels `selector` on `target` if it is pending, and drops its value.
  /// Returns whether it was pending.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func cancel<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>
  ) -> Bool {
    checkThread("EventLoop.cancel")
    return withExtendedLifetime(target) {
      transactions.cancel(TransactionPair(target, selector))
    }
  }

  /// Performs `selector` on `target` at once if it is pending, with its current
  /// value. Returns whether it was pending. A pair that waits for a frame is
  /// pending, and is performed before its frame.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func performIfNeeded<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>
  ) -> Bool {
    checkUsable("EventLoop.performIfNeeded")
    return withExtendedLifetime(target) {
      transactions.performIfNeeded(TransactionPair(target, selector))
    }
  }

  /// Cancels the selector of `entry` on `target` if it is pending, and ends its
  /// observation.
  func cancel(_ target: AnyObject, _ entry: SelectorEntry) {
    let pair = TransactionPair(
      target: UInt(addressOf: target),
      selector: UInt(addressOf: entry),
      number: entry.number
    )
    _ = transactions.cancel(pair)
  }
}

extension EventLoop {
  @usableFromInline
  func commit(_ pair: TransactionPair) {
    // A path calls another function only at its end, so it saves no register.
    guard _fastPath(isUsableHere) else { return commitChecked(pair) }
    commitUnchecked(pair)
  }

  // `checkUsable` also accepts the thread to which a Swift task has moved the loop.
  @inline(never)
  private func commitChecked(_ pair: TransactionPair) {
    checkUsable("EventLoop.commit")
    commitUnchecked(pair)
  }

  /// Commits a pair. The caller has checked that it may use the loop.
  @inline(__always)
  func commitUnchecked(_ pair: TransactionPair) { transactions.commit(pair) }
}
