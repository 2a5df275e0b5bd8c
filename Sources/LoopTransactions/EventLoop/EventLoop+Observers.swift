extension EventLoop {
  /// Calls `body` at `activities`, among other observers by `order`.
  ///
  /// Call on the loop, from an observer too: it is called from the next pass on.
  /// Transactions are performed at order 0xFFFFFF, queues hand over at order 0
  /// unless they say otherwise.
  ///
  /// - Parameters:
  ///   - activities: When to call.
  ///   - order: Lower is called first; equal ones in the order added.
  ///   - repeats: Whether to call again and again, or once.
  ///   - body: Called on the loop with the one activity at hand; kept until the
  ///     observer is removed.
  /// - Returns: The observer, which need not be kept.
  /// - Complexity: O(n) of the loop's observers; a call allocates nothing.
  @discardableResult
  public func addObserver(
    for activities: Activity,
    order: Int = 0,
    repeats: Bool = true,
    _ body: @escaping (Activity) -> Void
  ) -> Observer {
    checkUsable("EventLoop.addObserver")
    let observer = Observer(
      loop: self,
      activities: activities,
      order: order,
      repeats: repeats,
      body: body
    )
    observers.add(observer)
    return observer
  }

  /// Counts one piece of work against this tick's budget; returns whether the
  /// budget allows another.
  ///
  /// Call on the loop, in an observer, once after each piece of work. Posts, queues,
  /// transactions and observers share one budget per tick. So each of them performs
  /// one piece of work in a tick even if the budget is spent: ask after a piece, not
  /// before it. When this returns false, set the observer's `hasPendingWork` to
  /// carry the rest over to the next tick.
  ///
  /// Time counts from the call of an observer that has pending work, else from the
  /// first time an observer asks. Always true while a run that ends, or `close()`,
  /// performs everything that is left.
  ///
  /// - Complexity: O(1): a reading of the cycle counter, sometimes of the clock.
  public func budgetAllowsMore() -> Bool {
    checkThread("EventLoop.budgetAllowsMore")
    meter.begin()
    meter.didPerform()
    if meter.allowsMore() { return true }
    wasRefusedMore = true
    return false
  }
}
