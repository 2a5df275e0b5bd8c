// The tick, as libuv's handles call it. Order, within beforeWaiting: what was
// posted, then the observers by their order, queues and transactions among them.
extension EventLoop {
  /// libuv is about to poll.
  func beforeWaiting() {
    if _slowPath(core.isForked) { return leaveToParent() }
    core.metrics.ticks.add()
    runPosts()
    callObservers(1, .beforeWaiting)
    endFlush()
    if _fastPath(!isSingleTick) { meter.refill() }
    settle()
    if _slowPath(isTimed) { measureTick() }
  }

  /// libuv has polled, and the callbacks have run.
  // Inlined, so that its callback is not merged with the one above, which would
  // call both by address: 17 ns a tick.
  @inline(__always)
  func afterWaiting() {
    if _slowPath(core.isForked) { return leaveToParent() }
    if didAnnounceSleep { core.inbox.awake() }
    didAnnounceSleep = false
    callObservers(2, .afterWaiting)
    guard state == .idle else { return }
    // A host that runs the loop itself and stops it gets no tick any more.
    if uv.isStopping { flushAll() }
    endFlush()
    settleForHost()
  }

  /// Lets posts wake a host that waits by its own means, for libuv's descriptor:
  /// it may do so now, and no tick comes before.
  func settleForHost() {
    if !hasPendingWork, core.inbox.sleep() { didAnnounceSleep = true } else { arm() }
  }

  /// A wake arrived.
  func woke() {
    // Not read: the parent is woken, too.
    if _slowPath(core.isForked) { return }
    core.metrics.wakesReceived.add()
    if core.inbox.isFilled || core.inbox.hasRequest {
      core.metrics.wakesNeeded.add()
      if !usesEdgeTriggeredWakes { acknowledgeWake() }
    } else {
      // Always, so that a poll that reports a level, after all, does not spin.
      acknowledgeWake()
      // This tick's beforeWaiting took what the wake was for, as in each turn of a host
      // that waits for the descriptor. Armed, the loop would ask for a turn for nothing.
      return
    }
    handleRequests()
    // Armed: a host that returns from its run after this callback must see that
    // work is owed.
    arm()
    runPosts()
    endFlush()
  }

  private func acknowledgeWake() {
    wakeSource.acknowledge()
    if !usesEdgeTriggeredWakes { usesEdgeTriggeredWakes = wakeSource.enableEdgeTriggeredWakes(on: uv) }
  }

  /// Keeps the loop from blocking and from ending, until nothing is owed. I2.
  @inline(__always)
  func arm() {
    if isArmed || _slowPath(wasTornDown) { return }
    isArmed = true
    ticks.arm()
    if _slowPath(host != nil) { host?.loopChanged() }
  }

  /// Whether anything is left that this thread has to do.
  @inline(__always)
  var hasPendingWork: Bool {
    pendingWorkCount > 0 || postsLeft > 0
  }

  /// Decides whether the coming poll may block.
  private func settle() {
    if hasPendingWork || isBacklogged {
      // A loop that never sleeps is not sent a wake: it has to look.
      handleRequests()
      arm()
    } else if core.inbox.sleep() {
      didAnnounceSleep = true
      disarm()
    } else {
      handleRequests()
      arm()
    }
  }

  /// Lets the loop block and end.
  @inline(__always)
  func disarm() {
    guard isArmed else { return }
    isArmed = false
    ticks.disarm()
  }

  private func handleRequests() {
    _ = core.inbox.claimRequest(Inbox.wakeWanted)
    // An adopted loop that was closed by what it called is not stopped any more.
    if core.inbox.claimRequest(Inbox.stopWanted), state != .closed { stop() }
  }

  /// Calls the observers of `activity`, whose list has number `index`.
  @inline(__always)
  func callObservers(_ index: Int, _ activity: Activity) {
    if _fastPath(observers.isQuiet(index)) { return }
    makePass(index, activity)
  }

  @inline(never)
  private func makePass(_ index: Int, _ activity: Activity) {
    let list = observers.beginPass(index)
    for observer in list where !observer.isDormant && observer.isAttached {
      if leavesNextTick, observer.leavesWork(hasRoom: meter.hasRoom) { continue }
      observer.call(activity)
    }
    observers.endPass()
  }

  /// Ends a stretch of flushing.
  @inline(__always)
  func endFlush() {
    guard meter.isRunning else { return }
    core.metrics.flushes.add()
    // 1 ms: past it, timers would be late by what the flush took. L9.
    if meter.end() > 1_000_000, !wasTornDown { uv.updateTime() }
  }

  /// Runs every post, calls the `exit` observers that have pending work, and performs
  /// every transaction, without a budget, for a run that returns or a loop that closes.
  func flushAll() {
    meter.isLifted = true
    performRounds()
    meter.isLifted = false
    endFlush()
    meter.refill()
  }

  /// Runs posts, calls the `exit` observers that have pending work, and performs
  /// transactions while the meter has room, for up to 16 rounds. A transaction that
  /// keeps committing itself remains afterwards. Posts that other threads add during
  /// the rounds remain too: those threads may post faster than this runs.
  func performRounds() {
    var rounds = 0
    var drains = core.inbox.isFilled
    while rounds < Self.maxFinalRounds,
      commits.count > 0 || postsLeft > 0 || drains || hasWorkAtExit,
      meter.hasRoom
    {
      drains = runPosts(draining: drains)
      if hasWorkAtExit { callPendingObservers() }
      commits.flush()
      rounds += 1
    }
  }

  /// Whether an observer for `exit` has pending work.
  private var hasWorkAtExit: Bool { pendingWorkCount > 0 && observers.hasWork(3) }

  private func callPendingObservers() {
    let list = observers.beginPass(3)
    for observer in list where observer.isPending { observer.call(.exit) }
    observers.endPass()
  }

  // 16: a chain of commits that long is performed to its end when a run
  // returns; one that never ends does not hold the run for ever. Guess.
  static let maxFinalRounds = 16
}
