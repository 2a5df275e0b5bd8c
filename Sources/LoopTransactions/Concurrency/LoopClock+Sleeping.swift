extension EventLoop {
  /// The clock by which tasks sleep on this loop's timers; a stepped loop's stands
  /// still until the test moves it.
  ///
  /// Call on the loop.
  public var clock: LoopClock {
    checkThread("EventLoop.clock")
    return LoopClock(core: core)
  }
}

extension LoopPort {
  /// The clock by which tasks sleep on the loop's timers.
  ///
  /// Call from any thread.
  public var clock: LoopClock { LoopClock(core: core) }
}

extension LoopClock: Clock {
  /// The present: the system's, or a stepped loop's.
  ///
  /// Read it on any thread.
  public var now: Instant {
    guard let time = core.virtualTime else { return Self.now }
    return Instant(nanoseconds: time.nanoseconds)
  }

  /// The finest that a sleep is kept to without asking for more: a millisecond.
  ///
  /// Read it on any thread.
  public var minimumResolution: Duration { .milliseconds(1) }

  /// Sleeps until `deadline`, never less.
  ///
  /// Call from any task. The loop's run waits for it, as for any timer.
  ///
  /// - Parameter tolerance: Under a millisecond takes a precise timer, and its
  ///   descriptor; anything else, or nil, one that is kept to the millisecond.
  /// - Throws: A `CancellationError` at once when the task is cancelled;
  ///   `LoopPort.PostError` if the loop is closed, by then or before; `UVError` if there
  ///   is no descriptor for a precise timer.
  /// - Complexity: O(log n) of the loop's timers, and a post each to begin and to end
  ///   early.
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
