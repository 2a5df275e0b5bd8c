// What a user may set.
extension EventLoop {
  /// What one tick may spend on transactions, queues and posts together.
  ///
  /// Call on the loop. A tick that has begun to spend keeps the budget that it
  /// began with.
  public var budget: Budget {
    get {
      checkThread("EventLoop.budget")
      return spending
    }
    set {
      checkThread("EventLoop.budget")
      spending = newValue
      meter.setBudget(newValue)
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
