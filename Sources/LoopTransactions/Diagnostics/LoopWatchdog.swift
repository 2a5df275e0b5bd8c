/// Reports the ticks of loops that take longer than a threshold, while they run.
///
/// ```swift
/// let watchdog = try LoopWatchdog(threshold: .milliseconds(100)) { hold in
///   print(hold)
/// }
/// loop.watchdog = watchdog
/// ```
///
/// A thread of the watchdog looks four times per threshold, and once per
/// millisecond during a tick that is close to it. It sends no signal to the
/// loop's thread and does not stop it. Each loop that has a watchdog publishes
/// the running work; this costs as much as a `tickHandler`.
///
/// One watchdog can watch many loops. It ends when it is released, so keep it or
/// set it on a loop. In a forked child, it reports nothing.
public final class LoopWatchdog: Sendable {
  /// The duration from which a tick is reported.
  public let threshold: Duration

  private let watch: Watch

  /// Starts a watchdog, which watches no loop yet.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - threshold: At least a millisecond. 100 ms is when people notice.
  ///   - handler: Called on the watchdog's thread, at most twice per tick: when
  ///     it passes the threshold, and when it has ended. Delays of the handler
  ///     delay later reports.
  /// - Throws: `UVError` if the system refuses a thread.
  /// - Precondition: `threshold` is at least a millisecond and at most a day.
  public init(
    threshold: Duration,
    handler: @escaping @Sendable (LoopHold) -> Void
  ) throws(UVError) {
    require(
      threshold >= .milliseconds(1) && threshold <= .seconds(86_400),
      "LoopWatchdog: threshold must be from 1 ms to a day, got \(threshold)"
    )
    self.threshold = threshold
    let watch = Watch(threshold: UInt64(threshold / .nanoseconds(1)), handler)
    self.watch = watch
    // Not joined, because the handler may release the watchdog.
    _ = try JoinableThread("watchdog", for: "LoopWatchdog.init") { watch.run() }
  }

  deinit { watch.stop() }

  /// Watches the loop whose thread publishes its work in `slot`.
  func add(_ slot: WorkSlot) { watch.add(slot) }

  /// Stops watching. The tick that runs is reported as ended.
  func remove(_ slot: WorkSlot) { watch.remove(slot) }
}

/// The part of a watchdog that its thread retains.
private final class Watch: Sendable {
  private struct State {
    var trackers: [WorkSlot: HoldTracker] = [:]
    /// Ticks during which the watch ended.
    var ended: [LoopHold] = []
    var isStopped = false
  }

  private let threshold: UInt64
  private let handler: @Sendable (LoopHold) -> Void
  private let state = Locked(State())
  private let parking = Parking()
  private let rate = CycleClock().rate
  private let generation = ForkGuard.install()

  // The thread does not exist in a child, and may have held the lock.
  private var isForked: Bool { ForkGuard.generation != generation }

  init(threshold: UInt64, _ handler: @escaping @Sendable (LoopHold) -> Void) {
    self.threshold = threshold
    self.handler = handler
  }

  func add(_ slot: WorkSlot) {
    if isForked { return }
    let tracker = HoldTracker(threshold: threshold, rate: rate)
    state.withLock { $0.trackers[slot] = tracker }
    parking.wake()
  }

  func remove(_ slot: WorkSlot) {
    if isForked { return }
    let hold = state.withLock { state in
      var tracker = state.trackers.removeValue(forKey: slot)
      return tracker?.handleEnd(at: CycleClock.cycles)
    }
    guard let hold else { return }
    // Named now, because the loop's thread may end next.
    let report = LoopHold(hold, thread: ThreadState.name(of: slot.thread))
    state.withLock { $0.ended.append(report) }
    parking.wake()
  }

  func stop() {
    if isForked { return }
    state.withLock { $0.isStopped = true }
    parking.wake()
  }

  /// The thread's body.
  func run() {
    while let pause = look() {
      if let pause { _ = parking.sleep(atMost: pause) } else { parking.sleep() }
    }
  }

  /// Looks at every loop. Returns the time to sleep, `.some(nil)` if there is no
  /// loop, or nil if the watchdog was stopped.
  private func look() -> UInt64?? {
    var holds: [(HoldTracker.Hold, UInt32)] = []
    var ended: [LoopHold] = []
    let pause: UInt64?? = state.withLock { state in
      swap(&ended, &state.ended)
      if state.isStopped { return nil }
      if state.trackers.isEmpty { return .some(nil) }
      var isFollowing = false
      for (slot, var tracker) in state.trackers {
        let thread = slot.thread
        if let reading = slot.reading {
          let hold = tracker.handle(reading, at: CycleClock.cycles) { Self.usage(of: thread) }
          if let hold { holds.append((hold, thread)) }
        }
        isFollowing = isFollowing || tracker.isFollowing
        state.trackers[slot] = tracker
      }
      return isFollowing ? min(1_000_000, threshold / 4) : threshold / 4
    }
    // Without the lock, because a handler may set a watchdog.
    ended.forEach(handler)
    for (hold, thread) in holds {
      handler(LoopHold(hold, thread: ThreadState.name(of: thread)))
    }
    return pause
  }

  private static func usage(of thread: UInt32) -> HoldTracker.Usage {
    HoldTracker.Usage(
      cpuTime: ThreadState.cpuTime(of: thread),
      delay: ThreadState.delay(of: thread),
      waiting: ThreadState.waiting(of: thread)
    )
  }
}
