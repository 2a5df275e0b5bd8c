extension EventLoop {
  /// Adds an observer that calls `body` at `activities`.
  ///
  /// Call on the loop. An observer added by another observer is called from the
  /// next pass on. Transactions are performed at order 0xFFFFFF. Queues deliver
  /// at order 0 unless created with another order.
  ///
  /// - Parameters:
  ///   - activities: The activities at which `body` is called.
  ///   - order: Observers of lower order are called first. Observers of equal
  ///     order are called in the order they were added.
  ///   - repeats: Whether the observer stays after its first call.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop with the current activity. Retained until the
  ///     observer is removed.
  /// - Returns: The observer. The loop keeps it, so the caller need not.
  /// - Complexity: O(n) in the loop's observers. Calling an observer does not
  ///   allocate.
  @discardableResult
  public func addObserver(
    for activities: Activity,
    order: Int = 0,
    repeats: Bool = true,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping (Activity) -> Void
  ) -> Observer {
    checkUsable("EventLoop.addObserver")
    let place = SourcePlace(fileID, line)
    return addObserver(for: activities, order: order, repeats: repeats, place: place, body)
  }

  /// Adds an observer. Without a place, it is one of the library's own.
  func addObserver(
    for activities: Activity,
    order: Int,
    repeats: Bool = true,
    place: SourcePlace?,
    _ body: @escaping (Activity) -> Void
  ) -> Observer {
    let observer = Observer(
      loop: self,
      activities: activities,
      order: order,
      repeats: repeats,
      place: place,
      body: body
    )
    // Without an activity, nothing would call the observer or detach it from a
    // released loop.
    if activities.isDisjoint(with: .all) {
      observer.invalidate()
    } else {
      observers.add(observer)
    }
    return observer
  }

  /// Counts one piece of work against this tick's budget. Returns whether the
  /// budget allows another piece of work.
  ///
  /// Call on the loop, in an observer, after each piece of work. Posts, queues,
  /// transactions and observers share one budget per tick. Each of them may
  /// perform one piece of work per tick even if the budget is spent, so call
  /// this after the work, not before it. If this returns false, set the
  /// observer's `hasPendingWork` to carry the remaining work over to the next
  /// tick.
  ///
  /// Time counts from the call of an observer that has pending work, or
  /// otherwise from an observer's first call of this function. Always returns
  /// true while `close()`, or a run that is ending, performs all pending work.
  ///
  /// - Complexity: O(1). Reads the cycle counter, and sometimes the clock.
  public func budgetAllowsMore() -> Bool {
    checkThread("EventLoop.budgetAllowsMore")
    meter.begin()
    meter.didPerform()
    if meter.allowsMore() { return true }
    wasRefusedMore = true
    return false
  }
}
