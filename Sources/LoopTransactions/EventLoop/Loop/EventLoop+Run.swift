extension EventLoop {
  /// How long one call of `run` runs the loop.
  public enum Mode: Hashable, Sendable {
    /// One tick, which may block until there is an event.
    case once
    /// One tick that does not block.
    case noWait
  }

  /// The reason why a run returned.
  public enum RunResult: Hashable, Sendable {
    /// Nothing is left to wait for: no handle, no timer, no unfinished
    /// transaction, and no port in use while `waitsForPosts` is true.
    case finished
    /// `stop()` was called on the loop or its port, or the owner called
    /// `uv_stop`.
    case stopped
    /// The deadline passed.
    case timedOut
    /// `run(.once)` or `run(.noWait)` made its tick, and there is still
    /// something to wait for.
    case ticked
  }

  /// Runs the loop until nothing is left to wait for or the loop is stopped.
  ///
  /// Call on the loop, but not from one of its callbacks. Before it returns, it
  /// performs every pending transaction without a budget, including those that
  /// `exit` observers commit. A transaction that keeps committing itself is left
  /// to the next run: rule L5 of docs/rules.md. A run that is stopped leaves
  /// queued elements to the next run.
  @discardableResult
  public func run() -> RunResult {
    switch run(.whole) {
    case .stopped, .interrupted: .stopped
    case .finished: .finished
    }
  }

  /// Runs the loop for one tick.
  ///
  /// Call on the loop, but not from one of its callbacks. The tick and the end
  /// of the run share one budget. The run may return with work pending, which
  /// the next run performs first: work beyond the budget, commits made during
  /// the tick's flush and all commits behind them, and commits of `exit`
  /// observers.
  @discardableResult
  public func run(_ mode: Mode) -> RunResult {
    switch run(mode == .once ? RunMode.once : .noWait) {
    case .stopped: .stopped
    // `exit` observers may have added or removed something to wait for.
    case .interrupted, .finished: uv.isAlive ? .ticked : .finished
    }
  }

  /// Runs the loop until `deadline`, until nothing is left to wait for, or
  /// until the loop is stopped.
  ///
  /// Call on the loop, but not from one of its callbacks. It never returns
  /// `.timedOut` early. It returns late by at most the budget, one piece of
  /// work, and the rounding of the timer up to a millisecond. A run that ends
  /// before its deadline performs pending work, as `run()` does, but stops at
  /// the deadline. The next run performs the remaining work first.
  @discardableResult
  public func run(until deadline: LoopClock.Instant) -> RunResult {
    checkUsable("EventLoop.run")
    var isOver = false
    let timer = makeTimer(at: deadline, schedule: .once, place: nil) { [unowned self] _ in
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
      // The deadline may also pass while the run is ending.
      return uv.isAlive && nanoseconds >= deadline.nanoseconds ? .timedOut : .finished
    }
  }

  /// Makes the current run return after its tick. If the loop is not running,
  /// the next run returns at once.
  ///
  /// Call on the loop. Other threads use `LoopPort.stop()`.
  ///
  /// - Complexity: O(1).
  public func stop() {
    checkUsable("EventLoop.stop")
    checkNotTornDown("EventLoop.stop")
    isStopWanted = true
    // While a run is returning, libuv's flag would stop the next run instead.
    if state != .leaving { uv.stop() }
  }
}

extension EventLoop {
  /// Makes one tick that does not block. Does not call `entry` and `exit`
  /// observers.
  package func step() { step { uv.run(.noWait) } }

  /// Makes a tick for a host that waits for the loop's descriptor afterwards:
  /// polls without blocking, and then performs the work that precedes a wait.
  /// L4.
  func stepForHost() { step(pollAndPerform) }

  private func pollAndPerform() {
    isHostTurn = true
    uv.run(.noWait)
    isHostTurn = false
    if wasTornDown || core.isForked { return }
    // A `stop()` from here on must not reach libuv, which would skip the poll of
    // the next turn.
    state = .leaving
    beforeWaiting()
  }

  private func step(_ tick: () -> Void) {
    checkRunnable()
    state = .running
    let previous = CurrentLoop.value
    CurrentLoop.value = self
    beginMeasuredRun()
    virtualTime?.fireDue()
    // libuv makes no tick if the loop has nothing to wait for.
    arm()
    withExtendedLifetime(self) { tick() }
    // An `afterWaiting` observer may have started the budget. Time the host
    // spends after this turn must not count.
    endFlush()
    endMeasuring()
    makeCurrentAgain(previous)
    state = .idle
    isStopWanted = false
  }

  /// Whether the loop has work, so that a tick would not block.
  package var hasWorkOrPosts: Bool { hasPendingWork || core.inbox.isFilled }

  /// How a run of libuv ended.
  private enum RunEnd {
    /// `stop()` was called.
    case stopped
    /// There was still something to wait for, but the single tick is over or
    /// `uv_stop` was called.
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
    beginMeasuredRun()
    // If libuv's flag is not set, an earlier `stop()` ended a host's own run
    // and must not stop this one.
    if !uv.isStopping { isStopWanted = false }
    callObservers(0, .entry)
    if core.inbox.claimRequest(Inbox.stopWanted) { stop() }
    virtualTime?.fireDue()
    if mode != .noWait { checkWaitsForNoTimer() }
    watchMainQueue()
    let wasAlive = withExtendedLifetime(self) { runTicks(mode, isTimedOut) }
    state = .leaving
    leave(mode, until: deadline)
    if mode == .whole { mainQueueNotice?.probeIfFilled(inHost: false) }
    isSingleTick = false
    endMeasuring()
    makeCurrentAgain(previous)
    state = .idle
    defer { isStopWanted = false }
    if isStopWanted { return .stopped }
    return wasAlive ? .interrupted : .finished
  }

  private func trapEmbedded() -> Never {
    trap("EventLoop.run: the loop is embedded in a host; cancel() its Embedding first")
  }

  /// Runs libuv. libuv makes no tick if nothing keeps the loop alive, so posts
  /// of other threads arm the loop first, even without a port in use.
  private func runTicks(_ mode: RunMode, _ isTimedOut: () -> Bool) -> Bool {
    let (wasStopping, ticks) = (uv.isStopping, core.metrics.ticks.value)
    var isAlive: Bool
    repeat {
      if core.inbox.isFilled { arm() }
      isAlive = uv.run(mode)
    } while !isAlive && mode == .whole && !isStopWanted && core.inbox.isFilled && !isTimedOut()
    // Since 1.45, timers that are due run before the first tick. If one of them
    // stopped the run, it has made no tick.
    if mode == .whole, isAlive, !wasStopping, core.metrics.ticks.value == ticks {
      arm()
      isAlive = uv.run(.noWait)
    }
    return isAlive
  }

  private func checkRunnable() {
    checkUsable("EventLoop.run")
    if core.isForked { trapInChild() }
    switch state {
    case .idle where !isCalledBack: break
    case .idle:
      trap("EventLoop.run: must not be called while the loop's owner runs it")
    case .running, .leaving: trap("EventLoop.run: must not be called from inside run()")
    case .closing, .closed: trap("EventLoop.run: must not be called from inside close()")
    }
    checkNotTornDown("EventLoop.run")
  }

  /// Traps if a timer waits for a stepped clock. A run waits for the system's
  /// clock, so the timer would never fire.
  private func checkWaitsForNoTimer() {
    guard virtualTime?.nextDeadline != nil else { return }
    trap("EventLoop.run: a timer waits for a stepped clock; use SteppedLoop.advance")
  }

  /// Calls the `exit` observers and performs pending work. A whole run performs
  /// all pending work, or stops at `deadline` if given. A single-tick run
  /// spends the remaining budget of its tick. L5, L8.
  private func leave(_ mode: RunMode, until deadline: UInt64?) {
    // In a child process that a callback forked, a thread of the parent may
    // hold the inbox's lock.
    guard !core.isForked else { return }
    core.inbox.awake()
    let performsAll = setBudgetOfEnd(mode, until: deadline)
    if meter.hasRoom { runPosts() }
    transactions.prepareForExit(leavesNextTick: !performsAll)
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

  /// Performs pending work as the end of a run does, because the process exits.
  /// Reports the rest with the caller's `name`.
  ///
  /// Call on the loop, in any of its callbacks or outside.
  func performAtExit(_ name: String) {
    guard !core.isForked, core.isOnThread, !wasTornDown else { return }
    asCurrent {
      switch state {
      case .idle, .running:
        state = .leaving
        for part in parts { part.processWillExit() }
        leave(.whole, until: nil)
      case .leaving: break
      case .closing, .closed: return
      }
      // Several rounds, because parts pass work on to each other.
      for _ in 0..<Self.maxFinalRounds where hasWorkOrPosts {
        for part in parts { part.processWillExit() }
        flushAll()
      }
      reportUnfinished(name)
    }
  }

  private func reportUnfinished(_ name: String) {
    var work = parts.flatMap(\.unfinishedWork)
    if postsLeft > 0 { work.append("\(postsLeft) post\(postsLeft == 1 ? "" : "s")") }
    guard !work.isEmpty else { return }
    let names = work.prefix(8).joined(separator: ", ") + (work.count > 8 ? ", …" : "")
    System.logToStandardError(
      "\(name): the process exits with unfinished work: \(names); await it first"
    )
  }

  /// Sets the budget for the end of a run. Returns whether to perform rounds
  /// until nothing is pending.
  private func setBudgetOfEnd(_ mode: RunMode, until deadline: UInt64?) -> Bool {
    guard mode == .whole else { return false }
    guard let deadline else {
      meter.isLifted = true
      return true
    }
    guard nanoseconds < deadline else {
      meter.limit(until: deadline &+ UInt64(clamping: meter.budget.time.clampedNanoseconds))
      return false
    }
    meter.extend(until: deadline)
    return true
  }
}
