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
/// millisecond during a tick that is close to it. It does not stop the loop's
/// thread, and sends it no signal unless `capturesStacks` is true. Each loop
/// that has a watchdog publishes the running work; this costs as much as a
/// `tickHandler`.
///
/// Work that a host does between two turns of a loop is no part of a tick. It is
/// reported only for a host that publishes it, as `RunLoopHost` does.
///
/// One watchdog can watch many loops. It ends when it is released, so keep it or
/// set it on a loop. In a forked child, it reports nothing.
///
/// ## Stacks
///
/// With `capturesStacks`, the report of a tick that computes has the call stack
/// of its thread. The watchdog takes it with the real-time signal `SIGRTMAX - 3`,
/// once per tick:
///
/// - Only a thread that runs gets the signal, because a signal ends system calls
///   such as `usleep` and `poll` early. The watchdog asks the kernel just before,
///   but the thread may begin a system call in the few microseconds until the
///   signal arrives. Calls that block then restart or fail with `EINTR`, as their
///   documentation says of `SA_RESTART`. A call that computes in the kernel, such
///   as a long `write` to a pipe, may then transfer fewer bytes.
/// - The handler compares the tick on the thread itself. If the tick has ended,
///   it takes no stack, so a stack always belongs to the tick of its report.
/// - The handler takes no lock and allocates nothing, except if the process
///   registers code at run time with `__register_frame`, as some just-in-time
///   compilers do: the unwinder of GCC 12 then takes a lock.
/// - A stack ends at a function without unwind information, such as some that are
///   written in assembly. The handler needs 6 KB of the thread's stack, or of its
///   alternate signal stack if it has one.
/// - The signal's handler stays installed. A forked child has the signal's earlier
///   disposition. Threads that run a watched loop have the signal unblocked.
///
/// Stacks need Linux on x86-64 or AArch64 with glibc 2.35 and libgcc 12 or newer.
/// Elsewhere, reports have no stack.
public final class LoopWatchdog: Sendable {
  /// The duration from which a tick is reported.
  public let threshold: Duration

  private let watch: Watch

  /// Starts a watchdog, which watches no loop yet.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - threshold: At least a millisecond. People notice delays from about
  ///     100 ms.
  ///   - capturesStacks: Whether reports of ticks that compute have a `stack`.
  ///     Installs a signal handler in the process.
  ///   - handler: Called on the watchdog's thread, at most twice per tick: when
  ///     it passes the threshold, and when it has ended. Delays of the handler
  ///     delay later reports.
  /// - Throws: `UVError` if the system refuses a thread, or `EBUSY` if stacks are
  ///   wanted and the process handles or ignores `SIGRTMAX - 3` already.
  /// - Precondition: `threshold` is at least a millisecond and at most a day.
  public convenience init(
    threshold: Duration,
    capturesStacks: Bool = false,
    handler: @escaping @Sendable (LoopHold) -> Void
  ) throws(UVError) {
    try self.init(threshold: threshold, stacks: capturesStacks ? Stacks() : nil, handler)
  }

  /// How the watchdog takes stacks.
  struct Stacks {
    /// The time that it waits for a stack, in nanoseconds. A thread that runs
    /// answers in microseconds. One that lost its CPU answers when it has one.
    var patience: UInt64 = 20_000_000
    /// Called when the thread was seen to run, before it gets the signal.
    var beforeSignal: @Sendable () -> Void = {}
  }

  /// Starts a watchdog. Takes stacks as `stacks` says, or none if it is nil.
  init(
    threshold: Duration,
    stacks: Stacks?,
    _ handler: @escaping @Sendable (LoopHold) -> Void
  ) throws(UVError) {
    require(
      threshold >= .milliseconds(1) && threshold <= .seconds(86_400),
      "LoopWatchdog: threshold must be from 1 ms to a day, got \(threshold)"
    )
    self.threshold = threshold
    if stacks != nil { try StackCapture.shared.value.start() }
    let watch = Watch(threshold: UInt64(threshold / .nanoseconds(1)), stacks, handler)
    self.watch = watch
    // Not joined, because the handler may release the watchdog.
    _ = try JoinableThread("watchdog", for: "LoopWatchdog.init") { watch.run() }
  }

  deinit { watch.stop() }

  /// Watches the loop whose thread publishes its work in `slot`.
  func add(_ slot: WorkSlot) { watch.add(slot) }

  /// Prepares the calling thread, which runs a watched loop from now on.
  func prepareThread() { if watch.stacks != nil { StackCapture.admitSignal() } }

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

  let stacks: LoopWatchdog.Stacks?

  private let threshold: UInt64
  private let handler: @Sendable (LoopHold) -> Void
  private let state = Locked(State())
  private let parking = Parking()
  private let rate = CycleClock().rate
  private let generation = ForkGuard.install()

  // The thread does not exist in a child, and may have held the lock.
  private var isForked: Bool { ForkGuard.generation != generation }

  init(
    threshold: UInt64,
    _ stacks: LoopWatchdog.Stacks?,
    _ handler: @escaping @Sendable (LoopHold) -> Void
  ) {
    self.threshold = threshold
    self.stacks = stacks
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
      return tracker?.recordingDidEnd(at: CycleClock.cycles)
    }
    guard let hold else { return }
    // Named now, because the loop's thread may end next.
    let report = LoopHold(hold, thread: ThreadState.name(of: hold.thread))
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
    while true {
      switch checkLoops() {
      case .sleep(let nanoseconds): _ = parking.sleep(atMost: nanoseconds)
      case .sleepUntilWoken: parking.sleep()
      case .stop: return
      }
    }
  }

  /// The next step of the thread.
  private enum Step {
    case sleep(atMost: UInt64)
    /// There is no loop to check.
    case sleepUntilWoken
    /// The watchdog was stopped.
    case stop
  }

  /// Checks every loop, and reports loops that are held.
  private func checkLoops() -> Step {
    var holds: [(HoldTracker.Hold, WorkSlot, UInt32)] = []
    var ended: [LoopHold] = []
    let step = state.withLock { state -> Step in
      swap(&ended, &state.ended)
      if state.isStopped { return .stop }
      if state.trackers.isEmpty { return .sleepUntilWoken }
      var isFollowing = false
      for (slot, var tracker) in state.trackers {
        let thread = slot.thread
        if let reading = slot.reading {
          let hold = tracker.update(with: reading, at: CycleClock.cycles) { Self.usage(of: thread) }
          if let hold { holds.append((hold, slot, thread)) }
        }
        isFollowing = isFollowing || tracker.isFollowing
        state.trackers[slot] = tracker
      }
      return .sleep(atMost: isFollowing ? min(1_000_000, threshold / 4) : threshold / 4)
    }
    // Without the lock, because a handler may set a watchdog.
    ended.forEach(handler)
    for (hold, slot, thread) in holds {
      let hold = withStack(hold, of: slot, thread)
      handler(LoopHold(hold, thread: ThreadState.name(of: hold.thread)))
    }
    return step
  }

  /// Returns `hold` with the stack of its thread, if the thread computes.
  private func withStack(
    _ hold: HoldTracker.Hold,
    of slot: WorkSlot,
    _ thread: UInt32
  ) -> HoldTracker.Hold {
    guard let stacks, !hold.isOver, hold.cause == .computing else { return hold }
    var hold = hold
    hold.stack = StackCapture.shared.value.stack(
      of: StackCapture.Target(slot, thread, hold: hold.number, since: hold.since),
      within: stacks.patience,
      beforeSignal: stacks.beforeSignal
    )
    // For the report of the end.
    state.withLock { $0.trackers[slot]?.add(hold.stack, to: hold.number) }
    return hold
  }

  private static func usage(of thread: UInt32) -> HoldTracker.Usage {
    let (delay, runs) = ThreadState.scheduling(of: thread)
    return HoldTracker.Usage(
      thread: thread,
      cpuTime: ThreadState.cpuTime(of: thread),
      delay: delay,
      runs: runs,
      waiting: ThreadState.waiting(of: thread)
    )
  }
}
