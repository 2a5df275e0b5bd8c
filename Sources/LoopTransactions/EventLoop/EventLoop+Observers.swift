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
}
