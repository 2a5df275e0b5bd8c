// Settings for users.
extension EventLoop {
  /// The budget of one tick, shared by transactions, queues, posts and the
  /// pending work of observers.
  ///
  /// Call on the loop. A tick that has already spent some of its budget keeps
  /// the previous budget.
  public var budget: Budget {
    get {
      checkThread("EventLoop.budget")
      return meter.budget
    }
    set {
      checkThread("EventLoop.budget")
      meter.setBudget(newValue)
    }
  }

  /// The number of posts and commits from other threads that may wait in the
  /// loop's inbox. Defaults to nil, which means no limit.
  ///
  /// Call on the loop. A port refuses further posts with
  /// `LoopPort.PostError.full`. Accepted posts are never dropped. After the
  /// loop has run a batch, it takes all items of the inbox as the next batch.
  /// At most twice the capacity can therefore be accepted without having run.
  /// Items from queues, actors, `run`, `postAndWait` and `PortTransaction`
  /// count against the capacity but are not refused. Posts on the loop's own
  /// thread do not count.
  ///
  /// - Precondition: The capacity is greater than zero.
  public var postCapacity: Int? {
    get {
      checkThread("EventLoop.postCapacity")
      return storedPostCapacity
    }
    set {
      checkThread("EventLoop.postCapacity")
      require(
        newValue ?? 1 > 0,
        "EventLoop.postCapacity: must be positive, got \(newValue ?? 0); use nil for no limit"
      )
      storedPostCapacity = newValue
      core.inbox.setLimit(newValue ?? .max)
      received.inboxBatch.pointee.setLimit(newValue ?? .max)
    }
  }

  /// Whether `metrics` include times. Defaults to false.
  ///
  /// Call on the loop. When false, times cost nothing. When true, each tick
  /// reads the clock once; a tick that waits reads it twice more and makes one
  /// more poll that does not block.
  public var measuresTime: Bool {
    get {
      checkThread("EventLoop.measuresTime")
      return times.isEnabled
    }
    set {
      checkThread("EventLoop.measuresTime")
      times.isEnabled = newValue
      updateRecorder()
      beginMeasuring()
    }
  }
}

extension EventLoop {
  /// The limit on the work that one tick performs.
  ///
  /// When the budget is spent, the remaining work is carried over to the next
  /// tick, which does not block and serves ready events first. Even with no
  /// budget left, each queue with elements delivers one element per tick, and
  /// each observer with pending work is called. The time is compared between
  /// pieces of work, so a tick may exceed it by the length of its last pieces.
  ///
  /// A value: create and read it on any thread.
  public struct Budget: Hashable, Sendable {
    /// The time that a tick may spend.
    public let time: Duration

    /// The number of elements, transactions, posts and pieces of observers'
    /// work that a tick may perform.
    public let count: Int

    /// Creates a budget of `time`, and of `count` if given.
    ///
    /// - Precondition: Both are greater than zero.
    public init(time: Duration = .milliseconds(4), count: Int = .max) {
      require(
        time > .zero,
        "EventLoop.Budget: time must be positive, got \(time); use .unlimited for no limit"
      )
      require(
        count > 0,
        "EventLoop.Budget: count must be positive, got \(count); omit it for no limit"
      )
      self.time = time
      self.count = count
    }

    /// No limit: a tick performs everything that was pending when it began.
    public static let unlimited = Budget(time: .seconds(Int64.max))
  }
}
