// Commits for targets that are isolated to an actor. The compiler prefers these
// overloads, so a commit from outside the actor does not compile.
extension EventLoop {
  /// Performs `selector` on `target` before the loop next blocks.
  ///
  /// Call on the loop, which must be the main thread's.
  ///
  /// - Complexity: O(1).
  @MainActor
  @inlinable
  @inline(__always)
  public func commit<Target: MainActorTarget>(_ target: Target, _ selector: Selector<Target>) {
    withExtendedLifetime(target) {
      commit(
        UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque()),
        selector.address,
        selector.number
      )
    }
  }

  /// Performs `selector` on the actor `target` before the loop next blocks.
  ///
  /// Call on the loop, isolated to `target`. The actor's executor must be the
  /// loop's port.
  ///
  /// - Complexity: O(1).
  @inlinable
  @inline(__always)
  public func commit<Target: Actor>(_ target: isolated Target, _ selector: Selector<Target>) {
    withExtendedLifetime(target) {
      commit(
        UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque()),
        selector.address,
        selector.number
      )
    }
  }

  /// Performs `selector` on `target` with `value` before the loop next blocks.
  ///
  /// Call on the loop, which must be the main thread's.
  ///
  /// - Complexity: O(1).
  @MainActor
  public func commit<Target: MainActorTarget, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) {
    commitCarrying(target, selector, value)
  }

  /// Performs `selector` on the actor `target` with `value` before the loop
  /// next blocks.
  ///
  /// Call on the loop, isolated to `target`.
  ///
  /// - Complexity: O(1).
  public func commit<Target: Actor, Value>(
    _ target: isolated Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) {
    commitCarrying(target, selector, value)
  }

  /// Commits `selector` on `target` for the next frame of `clock`.
  ///
  /// Call on the loop, which must be the main thread's. Otherwise the same as
  /// for other targets.
  ///
  /// - Complexity: O(1) in the commits.
  @MainActor
  public func commit<Target: MainActorTarget>(
    _ target: Target,
    _ selector: Selector<Target>,
    atNextFrameOf clock: FrameClock
  ) {
    commitAtFrame(target, selector.address, selector.number, clock)
  }

  /// Commits `selector` on the actor `target` for the next frame of `clock`.
  ///
  /// Call on the loop, isolated to `target`. The actor's executor must be the
  /// loop's port. Otherwise the same as for other targets.
  ///
  /// - Complexity: O(1) in the commits.
  public func commit<Target: Actor>(
    _ target: isolated Target,
    _ selector: Selector<Target>,
    atNextFrameOf clock: FrameClock
  ) {
    commitAtFrame(target, selector.address, selector.number, clock)
  }

  /// Commits `selector` on `target` with `value` for the next frame of `clock`.
  ///
  /// Call on the loop, which must be the main thread's.
  ///
  /// - Complexity: O(1) in the commits.
  @MainActor
  public func commit<Target: MainActorTarget, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value,
    atNextFrameOf clock: FrameClock
  ) {
    commitAtFrame(target, selector, value, clock)
  }

  /// Commits `selector` on the actor `target` with `value` for the next frame of
  /// `clock`.
  ///
  /// Call on the loop, isolated to `target`.
  ///
  /// - Complexity: O(1) in the commits.
  public func commit<Target: Actor, Value>(
    _ target: isolated Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value,
    atNextFrameOf clock: FrameClock
  ) {
    commitAtFrame(target, selector, value, clock)
  }

  /// Performs `selector` on `target` immediately if it is pending, and returns
  /// whether it was.
  ///
  /// Call on the loop, which must be the main thread's.
  ///
  /// - Complexity: O(1).
  @MainActor
  @discardableResult
  public func performIfNeeded<Target: MainActorTarget>(
    _ target: Target,
    _ selector: Selector<Target>
  ) -> Bool {
    performNowIfNeeded(target, selector.number)
  }

  /// Performs `selector` on the actor `target` immediately if it is pending,
  /// and returns whether it was.
  ///
  /// Call on the loop, isolated to `target`.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func performIfNeeded<Target: Actor>(
    _ target: isolated Target,
    _ selector: Selector<Target>
  ) -> Bool {
    performNowIfNeeded(target, selector.number)
  }

  private func commitCarrying<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) {
    checkUsable("EventLoop.commit")
    let key = UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
    withExtendedLifetime(target) { transactions.commit(key, selector, value) }
  }

  private func performNowIfNeeded(_ target: AnyObject, _ number: UInt32) -> Bool {
    checkUsable("EventLoop.performIfNeeded")
    let key = UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
    return withExtendedLifetime(target) { transactions.performIfNeeded(key, number) }
  }
}
