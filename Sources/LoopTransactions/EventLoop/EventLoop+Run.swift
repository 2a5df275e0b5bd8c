extension EventLoop {
  /// How much of the loop one call of `run` does.
  public enum Mode: Hashable, Sendable {
    /// One tick, which may block until there is an event.
    case once
    /// One tick that does not block.
    case noWait
  }

  /// Why a run returned.
  public enum RunResult: Hashable, Sendable {
    /// Nothing is left to wait for: no handle, no timer, no unfinished
    /// transaction, and no holder of the port while `waitsForPosts` is true.
    case finished
    /// `stop()` was called, on the loop or through its port, or libuv's `uv_stop`.
    case stopped
    /// The deadline passed.
    case timedOut
    /// `run(.once)` or `run(.noWait)` made its tick, and there is more to wait for.
    case ticked
  }

  /// Runs the loop until nothing is left to wait for, or it is stopped.
  ///
  /// Call on the loop, and not from one of its callbacks. Performs every pending
  /// transaction before it returns, those that `exit` observers commit too,
  /// without a budget. A transaction that keeps committing itself is left for the
  /// next run after 16 rounds. A run that is stopped leaves the elements of
  /// queues for the next run.
  @discardableResult
  public func run() -> RunResult {
    switch run(.whole) {
    case .stopped, .interrupted: .stopped
    case .finished: .finished
    }
  }

  /// Runs the loop for one tick.
  ///
  /// Call on the loop, and not from one of its callbacks. The tick and its end
  /// share one budget. May return with work pending, which the next run performs
  /// first: work beyond the budget, commits of the tick's flush and those behind
  /// them, and commits of `exit` observers.
  @discardableResult
  public func run(_ mode: Mode) -> RunResult {
    switch run(mode == .once ? RunMode.once : .noWait) {
    case .stopped: .stopped
    // `exit` observers may have added something to wait for, or removed the last.
    case .interrupted, .finished: uv.isAlive ? .ticked : .finished
    }
  }

  /// Runs the loop until `deadline`, or until nothing is left to wait for, or it
  /// is stopped.
  ///
  /// Call on the loop, and not from one of its callbacks. Never returns
  /// `.timedOut` early. Spends the budget and one piece of work past the deadline
  /// at most, besides the millisecond that the timer is rounded up to. A run that
  /// ends before its deadline performs everything that is pending, as `run()`
  /// does, until the deadline. Pending work that remains is performed first by
  /// the next run.
  @discardableResult
  public func run(until deadline: LoopClock.Instant) -> RunResult {
    checkUsable("EventLoop.run")
    var isOver = false
    let timer = makeTimer(at: deadline, .once) { [unowned self] _ in
      isOver = true
      uv.stop()
    }
    timer.keepsLoopAlive = false
    defer { timer.cancel() }
    switch run(.whole, until: deadline.nanoseconds, isTimedOut: { isOver }) {
    case .stopped: return .stopped
    case .interrupted: return isOver ? .timedOut : .stopped
    case .finished:
      if isOver { return .timedOut }
      // The deadline may also pass while the run ends.
      return uv.isAlive && nanoseconds >= deadline.nanoseconds ? .timedOut : .finished
    }
  }

  /// Makes the run under way return after its tick, or else the next one at
  /// once.
  ///
  /// Call on the loop; other threads call it on the port.
  ///
  /// - Complexity: O(1).
  public func stop() {
    checkUsable("EventLoop.stop")
    checkNotTornDown("EventLoop.stop")
    isStopWanted = true
    // A run that is returning would hand libuv's flag on to the next one.
    if state != .leaving { uv.stop() }
  }
}

extension EventLoop {
  /// Makes one tick that does not block, and tells neither `entry` nor `exit`.
  package func step() {
    checkRunnable()
    state = .running
    let previous = CurrentLoop.value
    CurrentLoop.value = self
    beginMeasuring()
    virtualTime?.fireDue()
    // libuv makes no tick for a loop that has nothing to wait for.
    arm()
    withExtendedLifetime(self) { _ = uv.run(.noWait) }
    // An `afterWaiting` observer may have begun to spend: the host's time is not ours.
    endFlush()
    endMeasuring()
    makeCurrentAgain(previous)
    state = .idle
    isStopWanted = false
  }

  /// Whether the loop would not block if it ran now.
  package var hasWorkOrPosts: Bool { hasPendingWork || core.inbox.isFilled }

  /// How a run of libuv ended.
  private enum RunEnd {
    /// `stop()` was called.
    case stopped
    /// Something was left to wait for: the one tick is over, or `uv_stop` was called.
    case interrupted
    /// Nothing was left to wait for.
    case finished
  }

  private func run(
    _ mode: RunMode,
    until deadline: UInt64? = nil,
    isTimedOut: () -> Bool = { false }
  ) -> RunEnd {
    checkRunnable()
    if host != nil { trapEmbedded() }
    state = .running
    isSingleTick = mode != .whole
    let previous = CurrentLoop.value
    CurrentLoop.value = self
    beginMeasuring()
    // A host's own run has been stopped by it, and took libuv's flag.
    if !uv.isStopping { isStopWanted = false }
    callObservers(0, .entry)
    if core.inbox.claimRequest(Inbox.stopWanted) { stop() }
    virtualTime?.fireDue()
    if mode != .noWait { checkWaitsForNoTimer() }
    let wasAlive = withExtendedLifetime(self) { runTicks(mode, isTimedOut) }
    state = .leaving
    leave(mode, until: deadline)
    isSingleTick = false
    endMeasuring()
    makeCurrentAgain(previous)
    state = .idle
    defer { isStopWanted = false }
    if isStopWanted { return .stopped }
    return wasAlive ? .interrupted : .finished
  }

  private func trapEmbedded() -> Never {
    trap("EventLoop.run: a host runs this loop by turns; cancel() its Embedding first")
  }

  /// Runs libuv, which makes no tick if nothing keeps the loop alive: what
  /// another thread handed over does, without a port too.
  private func runTicks(_ mode: RunMode, _ isTimedOut: () -> Bool) -> Bool {
    var isAlive: Bool
    repeat {
      if core.inbox.isFilled { arm() }
      isAlive = uv.run(mode)
    } while !isAlive && mode == .whole && !isStopWanted && core.inbox.isFilled && !isTimedOut()
    return isAlive
  }

  private func checkRunnable() {
    checkUsable("EventLoop.run")
    if core.isForked { trapInChild() }
    switch state {
    case .idle where !isCalledBack: break
    case .idle:
      trap("EventLoop.run: its owner runs the adopted loop; a run can not be nested")
    case .running, .leaving: trap("EventLoop.run: the loop is running; a run can not be nested")
    case .closing, .closed: trap("EventLoop.run: the loop is being closed")
    }
    checkNotTornDown("EventLoop.run")
  }

  /// A run waits for the system's clock, and timers of a stepped loop do not come
  /// by it.
  private func checkWaitsForNoTimer() {
    guard virtualTime?.nextDeadline != nil else { return }
    trap("EventLoop.run: a timer waits for a stepped clock; use SteppedLoop.advance")
  }

  /// Calls the `exit` observers, and performs pending work: all of it in a whole
  /// run, until `deadline` if there is one, else the rest of the tick's. L5, L8.
  private func leave(_ mode: RunMode, until deadline: UInt64?) {
    // Forked by a callback. The inbox's lock may be held by a thread that the
    // child does not have.
    guard !core.isForked else { return }
    core.inbox.awake()
    let performsAll = setBudgetOfEnd(mode, until: deadline)
    if meter.hasRoom { runPosts() }
    commits.prepareForExit(leavesNextTick: !performsAll)
    leavesNextTick = !performsAll
    callObservers(3, .exit)
    leavesNextTick = false
    if performsAll { performRounds() }
    meter.isLifted = false
    endFlush()
    meter.refill()
    if hasPendingWork { arm() } else { disarm() }
    if !ownsLoop, !wasTornDown { settleForHost() }
  }

  /// Sets what the end of a run may spend; whether it performs rounds until
  /// nothing is pending.
  private func setBudgetOfEnd(_ mode: RunMode, until deadline: UInt64?) -> Bool {
    guard mode == .whole else { return false }
    guard let deadline else {
      meter.isLifted = true
      return true
    }
    guard nanoseconds < deadline else {
      meter.limit(until: deadline &+ UInt64(clamping: storedBudget.time.clampedNanoseconds))
      return false
    }
    meter.extend(until: deadline)
    return true
  }
}
