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
    /// Nothing is left to wait for: no handle, no timer, no port.
    case finished
    /// `stop()` was called, on the loop or through its port.
    case stopped
    /// The deadline passed.
    case timedOut
    /// The one tick asked for is done, and there is more to wait for. Of a whole
    /// run: nothing was left, but its end brought more, as an `exit` observer that
    /// adds or cancels a timer does; or somebody called libuv's own `uv_stop`,
    /// which ends a run as `stop()` does, but is not taken for it.
    case ticked
  }

  /// Runs the loop until nothing is left to wait for, or it is stopped.
  ///
  /// Call on the loop, and not from one of its callbacks. Every transaction
  /// committed until then, by the `exit` observers too, is performed before this
  /// returns; what commits itself over and over is left, after a bounded number
  /// of rounds, for the next run. So is what waits in queues when the run is
  /// stopped.
  @discardableResult
  public func run() -> RunResult { run(.whole) }

  /// Runs the loop for one tick.
  ///
  /// Call on the loop, and not from one of its callbacks. What was committed in
  /// it is performed before this returns, within the budget.
  @discardableResult
  public func run(_ mode: Mode) -> RunResult {
    switch mode {
    case .once: run(RunMode.once)
    case .noWait: run(RunMode.noWait)
    }
  }

  /// Runs the loop until `deadline`, or until nothing is left to wait for, or it
  /// is stopped.
  ///
  /// Call on the loop, and not from one of its callbacks. The deadline is kept
  /// to the millisecond, and never early.
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
    let result = run(.whole) { isOver }
    return isOver && result != .stopped ? .timedOut : result
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
    endMeasuring()
    makeCurrentAgain(previous)
    state = .idle
    isStopWanted = false
  }

  /// Whether the loop would not block if it ran now.
  package var owesAnything: Bool { owesWork || core.inbox.isFilled }

  private func run(_ mode: RunMode, isTimedOut: () -> Bool = { false }) -> RunResult {
    checkRunnable()
    if host != nil { trapEmbedded() }
    state = .running
    let previous = CurrentLoop.value
    CurrentLoop.value = self
    beginMeasuring()
    // A host's own run has been stopped by it, and took libuv's flag.
    if !uv.isStopping { isStopWanted = false }
    callObservers(0, .entry)
    if core.inbox.takeRequest(Inbox.stopWanted) { stop() }
    virtualTime?.fireDue()
    if mode != .noWait { checkWaitsForNoTimer() }
    let isAlive = withExtendedLifetime(self) { runTicks(mode, isTimedOut) }
    let isOver = mode == .whole || isStopWanted || !isAlive
    state = .leaving
    leave(performingAll: isOver)
    endMeasuring()
    makeCurrentAgain(previous)
    state = .idle
    defer { isStopWanted = false }
    if isStopWanted { return .stopped }
    return uv.isAlive ? .ticked : .finished
  }

  private func trapEmbedded() -> Never {
    trap("EventLoop.run: a host runs this loop by turns; end() its Embedding first")
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

  /// Tells the `exit` observers, and performs what is owed then. L8.
  private func leave(performingAll isOver: Bool) {
    // Forked by what it called. The inbox's lock may be a lost thread's.
    guard !core.isForked else { return }
    core.inbox.awake()
    meter.isLifted = isOver
    runPosts()
    callObservers(3, .exit)
    // What observers behind the transactions' committed. A run that is over
    // performs it below, whatever the budget.
    if !isOver { commits.flush() }
    endFlush()
    meter.isLifted = false
    if isOver { flushAll() } else { meter.refill() }
    if owesWork { arm() } else { disarm() }
    if !ownsLoop, !wasTornDown { settleForHost() }
  }
}
