extension LoopPort {
  /// Performs `selector` on `target` on the loop, before it next waits.
  ///
  /// Call from any thread. Coalesced with every other commit of the pair.
  /// Allocates nothing.
  ///
  /// - Parameter target: Kept alive until performed, and released on the loop.
  /// - Throws: `Refusal` if the loop is closed.
  public func commit<Target: Sendable>(
    _ target: Target,
    _ selector: Selector<Target>
  ) throws(Refusal) {
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
  /// Call from any thread. Allocates once.
  ///
  /// - Throws: `Refusal` if the loop is closed.
  public func commit<Target: Sendable, Value: Sendable>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) throws(Refusal) {
    try post { [unowned(unsafe) core] in core.onLoop { $0.commit(target, selector, value) } }
  }
}
