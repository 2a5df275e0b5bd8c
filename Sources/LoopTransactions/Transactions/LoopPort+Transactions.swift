extension LoopPort {
  /// Commits `selector` on `target`: performs it on the loop, before the loop
  /// next waits.
  ///
  /// Call from any thread. Coalesced with every other commit of the pair. On
  /// the loop's own thread the pair is pending at once. From another thread it
  /// is pending once the loop has taken the commit from its inbox; until then
  /// `isPending` and `cancel` do not see it. Does not allocate, but occupies
  /// space in the inbox. A thread that commits the same pair repeatedly should
  /// keep a `PortTransaction`, which can also name a `FrameClock`.
  ///
  /// - Parameter target: Retained until performed, and released on the loop.
  /// - Throws: `PostError` if the loop is closed or its inbox is full.
  /// - Complexity: O(1).
  @inlinable
  @inline(__always)
  public func commit<Target: Sendable>(
    _ target: Target,
    _ selector: Selector<Target>
  ) throws(PostError) {
    // Inlined down to three words, so that nothing generic is called.
    try withExtendedLifetime(target) { () throws(PostError) in
      try commit(
        UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque()),
        selector.address,
        selector.number
      )
    }
  }

  @usableFromInline
  func commit(_ key: UInt, _ selector: UInt, _ number: UInt32) throws(PostError) {
    if _fastPath(core.isOnThread) {
      if _fastPath(core.commitOnThread(key, selector, number)) { return }
      throw refusal
    }
    _ = KeyedObject.at(key).retain()
    var item = PostedItem(kind: selector, first: key)
    if _fastPath(core.append(item)) { return }
    item.drop()
    throw refusal
  }

  /// Commits `selector` on `target` with `value`. If the pair is pending, the
  /// selector determines how the two values are combined.
  ///
  /// Call from any thread. The pair becomes pending in the same way as without
  /// a value. Allocates once. The loop combines the values of several threads
  /// in the order their commits arrived, so `keep: .last` keeps the value that
  /// arrived last.
  ///
  /// Names no `FrameClock`: each value would wake the loop, although it is only
  /// needed at the frame. Merge the values under a lock of your own, and commit
  /// a `PortTransaction` with the clock after each change. The loop then wakes
  /// once per frame.
  ///
  /// - Throws: `PostError` if the loop is closed or its inbox is full.
  /// - Complexity: O(1).
  public func commit<Target: Sendable, Value: Sendable>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) throws(PostError) {
    if core.isOnThread {
      guard core.commitOnThread({ $0.commit(target, selector, value) }) else { throw refusal }
      return
    }
    try post { [unowned(unsafe) core] in core.onLoop { $0.commit(target, selector, value) } }
  }
}

extension PortCore {
  /// Commits a pair on the loop's own thread. Returns false if the loop accepts
  /// no commits.
  @inline(__always)
  func commitOnThread(_ key: UInt, _ selector: UInt, _ number: UInt32) -> Bool {
    // The caller has compared the thread, and a core with a loop is not closed.
    commitOnThread { $0.commitUnchecked(key, selector, number) }
  }
}
