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
    withExtendedLifetime(target) { commit(TransactionPair(target, selector)) }
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
    withExtendedLifetime(target) { commit(TransactionPair(target, selector)) }
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
    commit(target, TransactionPair(target, selector), atNextFrameOf: clock)
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
    commit(target, TransactionPair(target, selector), atNextFrameOf: clock)
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
    commitCarrying(target, selector, value, atNextFrameOf: clock)
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
    commitCarrying(target, selector, value, atNextFrameOf: clock)
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
    performNowIfNeeded(target, TransactionPair(target, selector))
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
    performNowIfNeeded(target, TransactionPair(target, selector))
  }

  private func commitCarrying<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) {
    checkUsable("EventLoop.commit")
    transactions.commit(target, selector, value)
  }

  private func performNowIfNeeded(_ target: AnyObject, _ pair: TransactionPair) -> Bool {
    checkUsable("EventLoop.performIfNeeded")
    return withExtendedLifetime(target) { transactions.performIfNeeded(pair) }
  }
}

/// A value that belongs to a loop's thread, in a box that any thread may hold.
///
/// Carries a value that is not `Sendable` inside a value that is `Sendable`. An
/// example is a buffer in the closure of a post, or the loop itself in an actor
/// pinned to it.
///
/// ```swift
/// let lines = LoopBound([String](), on: loop)
/// try port.post { lines.withValue { $0.append("from another thread") } }
/// ```
///
/// See also: `NIOLoopBound` and `NIOLoopBoundBox` are the counterparts in
/// SwiftNIO.
public final class LoopBound<Value>: @unchecked Sendable {
  // @unchecked: `box` is constant. Its contents are accessed on the loop's
  // thread only, because every accessor traps on other threads.

  let core: PortCore
  let box: LoopBox<Value>

  /// Creates a box that binds `value` to the thread of `loop`.
  ///
  /// Call on the loop.
  public init(_ value: Value, on loop: EventLoop) {
    loop.checkThread("LoopBound.init")
    core = loop.core
    box = LoopBox(value)
  }

  // Releases the value on the loop: here, or in a posted item. Once the loop is
  // closed, releases the value on this thread.
  deinit {
    if !core.isOnThread { core.call(releaseBox, with: box) }
  }

  /// Calls `body` with the value and returns its result.
  ///
  /// Call on the loop, even after the loop was closed. `body` must not use the
  /// box again. The compiler does not let parts of the value escape from `body`
  /// to another thread.
  ///
  /// While the loop is open, the value is released on the loop, whichever
  /// thread releases the box. Once the loop is closed, the value is released on
  /// the thread that releases the box.
  ///
  /// - Throws: The error of `body`.
  /// - Complexity: O(1), plus `body`.
  public func withValue<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    core.checkThread("LoopBound.withValue")
    return try body(&box.value)
  }
}

extension LoopBound where Value: Sendable {
  /// The value.
  ///
  /// Call on the loop, even after the loop was closed.
  public var value: Value {
    get {
      core.checkThread("LoopBound.value")
      return box.value
    }
    _modify {
      core.checkThread("LoopBound.value")
      yield &box.value
    }
  }
}

final class LoopBox<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

// Does nothing, because the box is released after the item has run.
private func releaseBox(_ loop: UnsafeRawPointer, _ box: UnsafeRawPointer) {}
