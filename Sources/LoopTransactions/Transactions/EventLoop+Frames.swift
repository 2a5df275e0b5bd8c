// Commits at a clock's next frame. T11.
extension EventLoop {
  /// Commits `selector` on `target` for the next frame of `clock`: performs it
  /// once when the frame begins, even if it is committed again until then.
  ///
  /// Call on the loop. Use this for changes that are made more often than a
  /// screen shows them. The pair is the same as without a clock:
  ///
  /// - If the pair is pending without a clock, it is performed before the loop
  ///   next waits, and not at the frame.
  /// - If the pair waits for a frame and is committed without a clock, it is
  ///   performed before the loop next waits, at the position of that commit.
  /// - If the pair waits for another clock, it keeps waiting for that one.
  /// - `isPending`, `cancel` and `performIfNeeded` find it while it waits for
  ///   the frame, too. `performIfNeeded` performs it at once, before the frame.
  ///
  /// When the frame begins, the clock's pairs become pending, in commit order,
  /// behind all others. They are performed before the loop waits, within the
  /// tick's budget. The next ticks perform those beyond it, after the frame. A
  /// commit made after the frame began waits for the frame after it, unless the
  /// pair is still pending.
  ///
  /// The loop's run waits for the frame, unless a host announces the frames; a
  /// run that is stopped earlier leaves the commit to the next run. If the clock
  /// was cancelled, or is cancelled while the pair waits, the pair is performed
  /// before the loop next waits. `close()` performs it without the frame.
  ///
  /// Modelled on `requestAnimationFrame` of browsers.
  ///
  /// - Parameters:
  ///   - target: Retained until performed. Identified by object identity, not
  ///     by `==`.
  ///   - selector: The action to perform.
  ///   - clock: The clock of the screen.
  /// - Precondition: `clock` belongs to this loop.
  /// - Complexity: O(1) in the commits, O(n) in the clocks that commits wait
  ///   for. Committing a pending pair does not allocate.
  public func commit<Target>(
    _ target: Target,
    _ selector: Selector<Target>,
    atNextFrameOf clock: FrameClock
  ) {
    commitAtFrame(target, selector.address, selector.number, clock)
  }

  /// Commits `selector` on `target` with `value` for the next frame of `clock`.
  /// If the pair is pending, the selector determines how the two values are
  /// combined.
  ///
  /// Call on the loop. Otherwise the same as without a value.
  ///
  /// - Complexity: O(1) in the commits.
  public func commit<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value,
    atNextFrameOf clock: FrameClock
  ) {
    commitAtFrame(target, selector, value, clock)
  }

  func commitAtFrame(
    _ target: AnyObject,
    _ selector: UInt,
    _ number: UInt32,
    _ clock: FrameClock
  ) {
    checkUsable("EventLoop.commit")
    transactions.checkClock(clock, "EventLoop.commit")
    let key = UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
    withExtendedLifetime(target) {
      transactions.commit(key, selector, number, atNextFrameOf: clock)
    }
  }

  func commitAtFrame<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value,
    _ clock: FrameClock
  ) {
    checkUsable("EventLoop.commit")
    transactions.checkClock(clock, "EventLoop.commit")
    let key = UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
    withExtendedLifetime(target) {
      transactions.commit(key, selector, value, atNextFrameOf: clock)
    }
  }
}
