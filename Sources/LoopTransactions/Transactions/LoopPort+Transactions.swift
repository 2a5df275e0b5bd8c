extension LoopPort {
  /// Performs `selector` on `target` on the loop, before it next waits.
  ///
  /// Call from any thread. Coalesced with every other commit of the pair. On the
  /// loop's own thread the pair is pending at once; from another, when the loop
  /// has taken it: until then `isPending` does not see it, nor `cancel` reach it.
  /// Allocates nothing, but takes room in the inbox until the loop has taken it: a thread
  /// that commits the same pair again and again keeps a `PortTransaction`.
  ///
  /// - Parameter target: Kept alive until performed, and released on the loop.
  /// - Throws: `PostError` if the loop is closed or its inbox full.
  /// - Complexity: O(1).
  public func commit<Target: Sendable>(
    _ target: Target,
    _ selector: Selector<Target>
  ) throws(PostError) {
    if core.isOnThread {
      guard core.commitOnThread(target as AnyObject, selector.address, selector.number) else {
        throw refusal
      }
      return
    }
    var item = PostedItem(
      kind: selector.address,
      first: UInt(bitPattern: Unmanaged.passRetained(target as AnyObject).toOpaque())
    )
    if _fastPath(core.append(item)) { return }
    item.drop()
    throw refusal
  }

  /// Performs `selector` on `target` as above, with `value`, which joins one
  /// that is pending as the selector says.
  ///
  /// Call from any thread. Pending as above. Allocates once. The loop joins the values of
  /// several threads in the order in which the commits came in; so the last to come in is
  /// the one that `keep: .last` keeps.
  ///
  /// - Throws: `PostError` if the loop is closed or its inbox full.
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
  /// Commits on the loop's own thread; false if the loop takes nothing.
  func commitOnThread(_ target: AnyObject, _ selector: UInt, _ number: UInt32) -> Bool {
    commitOnThread { loop in
      let key = UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
      loop.commitInPlace(key, selector, number)
    }
  }
}
