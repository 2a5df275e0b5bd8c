extension EventLoop {
  /// A clock whose sleeps are timers of this loop. The clock of a stepped loop
  /// advances only when the test advances it.
  ///
  /// Call on the loop.
  public var clock: LoopClock {
    checkThread("EventLoop.clock")
    return LoopClock(core: core)
  }
}

extension LoopPort {
  /// A clock whose sleeps are timers of the loop.
  ///
  /// Call from any thread.
  public var clock: LoopClock { LoopClock(core: core) }
}

extension LoopClock: Clock {
  /// The current time of the system, or of a stepped loop.
  ///
  /// Call from any thread.
  public var now: Instant {
    guard let time = core.virtualTime else { return Self.now }
    return Instant(nanoseconds: time.nanoseconds)
  }

  /// One millisecond, the resolution of a sleep without a smaller tolerance.
  ///
  /// Call from any thread.
  public var minimumResolution: Duration { .milliseconds(1) }

  /// Sleeps until `deadline`, and never wakes earlier.
  ///
  /// Call from any task. The loop's run waits for the sleep as for any timer.
  ///
  /// - Parameter tolerance: A tolerance under one millisecond uses a precise
  ///   timer. Any other value, or nil, has a resolution of one millisecond.
  /// - Throws: A `CancellationError` immediately when the task is cancelled.
  ///   `LoopPort.PostError` if the loop is closed before the deadline.
  ///   `UVError` if there is no descriptor for the loop's first precise timer.
  /// - Complexity: O(log n) in the loop's timers, plus a post to begin and a
  ///   second post to end early.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    guard now < deadline else { return }
    let isPrecise = tolerance.map { $0 < minimumResolution } ?? false
    let sleeper = Sleeper(core, until: deadline, isPrecise: isPrecise)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { sleeper.suspend($0) }
    } onCancel: {
      sleeper.cancel()
    }
  }
}
