// What a user may set.
extension EventLoop {
  /// What one tick may spend on transactions, queues, posts and the pending work of
  /// observers together.
  ///
  /// Call on the loop. A tick that has begun to spend keeps the budget that it
  /// began with.
  public var budget: Budget {
    get {
      checkThread("EventLoop.budget")
      return storedBudget
    }
    set {
      checkThread("EventLoop.budget")
      storedBudget = newValue
      meter.setBudget(newValue)
    }
  }

  /// How many posts and commits of other threads may wait for the loop to take them; nil
  /// is any number, as at first.
  ///
  /// Call on the loop. A port refuses one more with `LoopPort.PostError.full`, and nothing
  /// is dropped. The loop takes all that wait together, when it has run those that it took
  /// before: so at most twice as many are neither run nor refused. What queues, actors,
  /// `postAndWait` and `PortTransaction` hand over takes room as well, but is not refused.
  /// The loop's own posts are not counted.
  ///
  /// - Precondition: It is over zero.
  public var postCapacity: Int? {
    get {
      checkThread("EventLoop.postCapacity")
      return storedPostCapacity
    }
    set {
      checkThread("EventLoop.postCapacity")
      require(
        newValue ?? 1 > 0,
        "EventLoop.postCapacity: must be over zero, got \(newValue ?? 0); use nil for any number"
      )
      storedPostCapacity = newValue
      core.inbox.setLimit(newValue ?? .max)
      inboxBatch.pointee.setLimit(newValue ?? .max)
    }
  }

  /// Whether `metrics` tell times. Off, times cost nothing; on, a reading of the
  /// clock in each tick, and two and a poll that does not block in each that waits.
  ///
  /// Call on the loop.
  public var measuresTime: Bool {
    get {
      checkThread("EventLoop.measuresTime")
      return isTimed
    }
    set {
      checkThread("EventLoop.measuresTime")
      isTimed = newValue
      beginMeasuring()
    }
  }
}
