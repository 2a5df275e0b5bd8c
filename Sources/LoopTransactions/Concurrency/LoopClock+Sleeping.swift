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
    try await Sleeper(core, until: deadline, isPrecise: isPrecise).wait()
  }
}

/// A task that sleeps by a timer of a loop.
final class Sleeper: LoopWait, @unchecked Sendable {
  private let deadline: LoopClock.Instant
  private let isPrecise: Bool
  // The task that sleeps, on a stepped loop.
  private let task: Int?
  private var timer: LoopTimer?  // loop only

  /// Creates a sleep until `deadline` on the loop of `core`.
  init(_ core: PortCore, until deadline: LoopClock.Instant, isPrecise: Bool) {
    self.deadline = deadline
    self.isPrecise = isPrecise
    task = core.virtualTime == nil ? nil : System.currentTask
    super.init(core)
  }

  // The loop cancels the timer later.
  override func cancel() { cancelAtOnce() }

  override func watch(on loop: EventLoop, _ watch: Watch) throws(UVError) {
    let fire: (LoopTimer.Firing) -> Void = { [self] _ in
      noteSleep(until: nil)
      withExtendedLifetime(watch) { end(.success(())) }
    }
    timer =
      isPrecise
      ? try loop.makePreciseTimer(at: deadline, schedule: .once, place: nil, fire)
      : loop.makeTimer(at: deadline, schedule: .once, place: nil, fire)
    noteSleep(until: deadline.nanoseconds)
  }

  override func stop() {
    timer?.cancel()
    timer = nil
    noteSleep(until: nil)
  }

  /// Tells the clock of a stepped loop that the task sleeps, or no longer does.
  private func noteSleep(until due: UInt64?) {
    guard let task, let time = core.virtualTime else { return }
    time.setSleep(of: task, until: due)
  }
}
