// The tick, as libuv's handles drive it. `beforeWaiting` runs posts first, then
// the observers by order; queues and transactions are observers too.
extension EventLoop {
  /// Called when libuv is about to poll.
  func beforeWaiting() {
    let isMeasured = _slowPath(core.needsSlowTick)
    if isMeasured {
      guard noticeProcess() else { return leaveToParent() }
      enterTick()
      recorder?.pointee.willPerform()
    }
    core.metrics.ticks.add()
    runPosts()
    callObservers(1, .beforeWaiting)
    if isMeasured { return endMeasuredTick() }
    endFlush()
    refill()
    settle()
  }

  @inline(never)
  private func endMeasuredTick() {
    // Asked again, because a callback may have begun or ended the recording. One
    // reading ends the flush, the tick and its last piece.
    let end = recorder?.pointee.now
    endFlush(at: end)
    refill()
    var isReported = false
    if let recorder, let end { isReported = reportTick(recorder, at: end) }
    settle()
    recorder?.pointee.willPoll(mayBlock: didAnnounceSleep, atOnce: !isReported)
    if times.isEnabled { measureTick() }
  }

  @inline(__always)
  private func refill() { if _fastPath(!isSingleTick) { meter.refill() } }

  /// Called after libuv has polled and called its callbacks.
  // Inlined to keep the compiler from merging its C callback with that of
  // `beforeWaiting`. A merged callback would call both indirectly, which costs
  // 17 ns a tick.
  @inline(__always)
  func afterWaiting() {
    if _slowPath(core.needsSlowTick) {
      if core.isForked { return leaveToParent() }
      enterTick()
    }
    endSleep()
    callObservers(2, .afterWaiting)
    guard state == .idle else { return }
    // If a host runs the loop itself and stops it, no further tick follows.
    if uv.isStopping { flushAll() }
    endFlush()
    settleForHost()
  }

  /// Called before the poll of an adopted loop, which a callback may close and
  /// release.
  ///
  /// Most ticks of an idle loop call nothing. They need not retain the loop, nor
  /// make it the current one, which would cost more than the rest of the tick.
  @inline(never)
  func ownerWillWait() {
    let isFilled = received.isBacklogged || core.inbox.isFilled
    guard !isFilled, postsLeft == 0, callsNothing(1) else { return calledBack { beforeWaiting() } }
    core.metrics.ticks.add()
    endFlush()
    meter.refill()
    settle()
  }

  /// Called after the poll of an adopted loop.
  @inline(never)
  func ownerDidWait() {
    guard callsNothing(2), !uv.isStopping else { return calledBack { afterWaiting() } }
    // Nothing runs now, so the loop stays asleep, which saves two exchanges of
    // the inbox word.
    endFlush()
    settleForHost()
  }

  @inline(__always)
  func endSleep() {
    if didAnnounceSleep { core.inbox.awake() }
    didAnnounceSleep = false
  }

  /// Whether this library runs the loop, so that no callback can release it.
  @inline(__always)
  var isRunByUs: Bool { ownsLoop || state == .running }

  /// Whether the owner runs the loop, and neither the observers of the activity
  /// with this index nor a host need to be called.
  @inline(__always)
  private func callsNothing(_ index: Int) -> Bool {
    state == .idle && observers.hasNoneAwake(at: index) && host == nil && !core.needsSlowTick
  }

  /// Must be called after a change to libuv's handles that may need a turn of a
  /// host: libuv tells the kernel about it in the next poll. I31.
  package func handlesChanged() { host?.loopChanged() }

  /// Prepares for a host that waits on libuv's descriptor by its own means. The
  /// host may block next, without another tick, so posts must wake the host
  /// from now on.
  func settleForHost() {
    if _slowPath(deadlines.isStale) { setDeadline() }
    if _slowPath(hasPendingWork) { endSleep() } else { didAnnounceSleep = core.inbox.sleep() }
    if !didAnnounceSleep { arm() }
  }

  /// Called when a wake arrives.
  func woke() {
    if _slowPath(core.needsSlowTick) {
      // The wake is not read, because the descriptor is shared with the parent,
      // and the parent needs the wake too.
      if core.isForked { return }
      noticeProcess()
      recordWake()
    }
    core.metrics.wakesReceived.add()
    if core.inbox.isFilled || core.inbox.hasRequest {
      core.metrics.wakesNeeded.add()
      if !usesEdgeTriggeredWakes { acknowledgeWake() }
    } else {
      // The wake is always read, so that the loop does not spin if the poll is
      // level-triggered after all.
      acknowledgeWake()
      // The loop has already handled the cause of the wake, as in a turn that a
      // host's own wake has made due. Arming the loop would request a needless
      // tick.
      return
    }
    handleRequests()
    // A host may return from its run after this callback. The armed idle handle
    // tells the host that work is pending.
    arm()
    runPosts()
    endFlush()
  }

  private func acknowledgeWake() {
    wakeSource.acknowledge()
    if !usesEdgeTriggeredWakes {
      usesEdgeTriggeredWakes = wakeSource.enableEdgeTriggeredWakes(on: uv)
    }
  }

  /// Keeps the loop from blocking or ending while work is pending. I2.
  @inline(__always)
  func arm() {
    if isArmed || _slowPath(wasTornDown) { return }
    isArmed = true
    ticks.arm()
    if _slowPath(host != nil) { host?.loopChanged() }
  }

  /// Keeps the loop from blocking or ending until `endPendingWork()`. I2.
  func beginPendingWork() {
    pendingWorkCount += 1
    // Called last, because this may call the host of an embedded loop.
    arm()
  }

  /// Reverts one `beginPendingWork()`.
  func endPendingWork() { pendingWorkCount -= 1 }

  /// Whether this thread has work to do before it may block.
  @inline(__always)
  var hasPendingWork: Bool {
    pendingWorkCount > 0 || postsLeft > 0
  }

  /// Decides whether the next poll may block.
  private func settle() {
    if _slowPath(deadlines.isStale) { setDeadline() }
    if hasPendingWork || received.isBacklogged {
      // Senders do not wake a loop that is awake, so check for requests here.
      handleRequests()
      arm()
    } else if !isArmed, ownsLoop, uv.hasIdleHandles {
      // Another idle handle is active, so the poll does not block, and the next
      // tick looks for posts. Announcing a sleep takes two exchanges of the inbox
      // word, a tenth of such a tick.
      if _slowPath(core.inbox.hasRequest) { handleRequests() }
    } else if core.inbox.sleep() {
      didAnnounceSleep = true
      disarm()
    } else {
      handleRequests()
      arm()
    }
  }

  /// Allows the loop to block and to end.
  @inline(__always)
  func disarm() {
    guard isArmed else { return }
    isArmed = false
    ticks.disarm()
  }

  private func handleRequests() {
    _ = core.inbox.claimRequest(Inbox.wakeWanted)
    // A loop closed by a callback (possible only if adopted) can no longer be
    // stopped.
    if core.inbox.claimRequest(Inbox.stopWanted), state != .closed { stop() }
  }

  /// Calls the observers of `activity`, whose list has index `index`.
  @inline(__always)
  func callObservers(_ index: Int, _ activity: Activity) {
    if _fastPath(observers.hasNoneAwake(at: index)) { return }
    makePass(index, activity)
  }

  @inline(never)
  private func makePass(_ index: Int, _ activity: Activity) {
    if _slowPath(core.needsSlowTick) {
      makePass(index) { callMeasured($0, activity) }
    } else {
      makePass(index) { $0.call(activity) }
    }
  }

  @inline(__always)
  private func makePass(_ index: Int, call: (Observer) -> Void) {
    // The list keeps the observers alive, so no call counts a reference.
    let list = observers.beginPass(index)
    withExtendedLifetime(list) {
      for index in list.indices {
        list[index].reference?._withUnsafeGuaranteedRef { observer in
          guard !observer.isDormant, observer.isAttached else { return }
          if leavesNextTick, observer.leavesWork(hasRoom: meter.hasRoom) { return }
          call(observer)
        }
      }
    }
    observers.endPass()
  }

  @inline(never)
  private func callMeasured(_ observer: Observer, _ activity: Activity) {
    guard let place = observer.place else { return observer.call(activity) }
    recorded(OwnerWord(.observer, place)) { observer.call(activity) }
  }

  /// Ends a period of flushing.
  ///
  /// - Parameter reading: The time of `CycleClock.cycles`, if the caller has it.
  @inline(__always)
  func endFlush(at reading: UInt64? = nil) {
    if meter.isRunning { didFlush(for: meter.end(at: reading)) }
  }

  @inline(__always)
  private func didFlush(for nanoseconds: UInt64) {
    core.metrics.flushes.add()
    // libuv's clock stands still during a flush. After more than 1 ms it must
    // be updated, or timers would be late.
    if nanoseconds > 1_000_000, !wasTornDown { uv.updateTime() }
  }

  /// Runs every post, calls the `exit` observers that have pending work, and
  /// performs every transaction, without a budget. Used by a run that returns
  /// and by a loop that closes.
  func flushAll() {
    meter.isLifted = true
    performRounds()
    meter.isLifted = false
    endFlush()
    meter.refill()
  }

  /// Runs posts, calls the `exit` observers that have pending work, and
  /// performs transactions while the meter has room, for up to 16 rounds. A
  /// transaction that keeps committing itself remains pending afterwards. Posts
  /// that other threads add during the rounds remain too, because those threads
  /// may post faster than the loop runs them.
  func performRounds() {
    var rounds = 0
    var drains = core.inbox.isFilled
    while rounds < Self.maxFinalRounds,
      transactions.count > 0 || postsLeft > 0 || drains || hasWorkAtExit,
      meter.hasRoom
    {
      drains = runPosts(draining: drains)
      if hasWorkAtExit { callPendingObservers() }
      transactions.flush()
      rounds += 1
    }
  }

  /// Whether an observer for `exit` has pending work.
  private var hasWorkAtExit: Bool { pendingWorkCount > 0 && observers.hasWork(3) }

  private func callPendingObservers() {
    let list = observers.beginPass(3)
    withExtendedLifetime(list) {
      for slot in list {
        slot.reference?._withUnsafeGuaranteedRef { if $0.isPending { $0.call(.exit) } }
      }
    }
    observers.endPass()
  }

  // 16 rounds are enough for ordinary chains of commits. An endless chain must
  // not block the run forever. Not measured.
  static let maxFinalRounds = 16
}

// The functions that libuv calls. They are at file scope because a closure in
// main-actor code would trap on another thread. The loop is not retained, which
// saves 10 ns a tick: the current run keeps an owned loop alive, and `calledBack`
// an adopted one.

func loopWillWait(_ handle: PrepareHandle?) {
  unmanagedOwner(of: handle, as: EventLoop.self)?._withUnsafeGuaranteedRef { loop in
    // A host waits after its turn, and not in the poll of the turn.
    if loop.isHostTurn { return }
    loop.isRunByUs ? loop.beforeWaiting() : loop.ownerWillWait()
  }
}

func loopDidWait(_ handle: CheckHandle?) {
  unmanagedOwner(of: handle, as: EventLoop.self)?._withUnsafeGuaranteedRef {
    $0.isRunByUs ? $0.afterWaiting() : $0.ownerDidWait()
  }
}

func wakeDescriptorIsReadable(_ handle: PollHandle?, _ status: Int32, _ events: Int32) {
  // If there is no owner, the loop was released while open, or closed in a
  // child process. Nothing reads the descriptor any more.
  guard let loop = owner(of: handle, as: EventLoop.self) else { return stopWatching(handle) }
  loop.calledBack { loop.woke() }
}

func wakeHandleWasSent(_ handle: AsyncHandle?) {
  guard let loop = owner(of: handle, as: EventLoop.self) else { return }
  loop.calledBack { loop.woke() }
}
