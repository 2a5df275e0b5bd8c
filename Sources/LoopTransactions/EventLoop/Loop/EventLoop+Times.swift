// Time measurement, if enabled. A measured tick ends when libuv is about to
// poll. A wait ends with the first callback after it.
extension EventLoop {
  /// Starts measuring now.
  func beginMeasuring() {
    guard isTimed, state != .closed, !wasTornDown else { return }
    // Called for every run, because it costs nothing and the owner of an
    // adopted loop may have changed the setting.
    if !time.isVirtual { uv.measureIdleTime() }
    measuredUntil = nanoseconds
    idleBefore = idleNanoseconds
    isWaitUnmeasured = false
  }

  /// Called when a run or a host's turn begins.
  func beginMeasuredRun() {
    guard _slowPath(core.needsSlowTick) else { return }
    beginRecordedRun()
    beginMeasuring()
  }

  /// Adds the time since the last call, or since the loop woke, to the busy time.
  func measureTick() {
    endMeasuredWait()
    let now = nanoseconds
    // libuv's idle time and our time are read at slightly different moments.
    let busy = now > measuredUntil ? now - measuredUntil : 0
    core.metrics.busy.add(busy)
    if busy > core.metrics.longestTick.value { core.metrics.longestTick.set(busy) }
    measuredUntil = now
    idleBefore = idleNanoseconds
    // The poll of a loop that was stopped does not block.
    isWaitUnmeasured = didAnnounceSleep && !uv.isStopping
  }

  /// Adds the time that the loop waited to the idle time, if this is the first
  /// callback since the poll.
  @inline(__always)
  func endMeasuredWait() { if _slowPath(isWaitUnmeasured) { measureWait() } }

  @inline(never)
  private func measureWait() {
    isWaitUnmeasured = false
    guard !time.isVirtual, !wasTornDown else { return }
    let measured = idleNanoseconds &- idleBefore
    // libuv's clock is from the end of the poll, in whole milliseconds.
    let polled = uv.milliseconds &* 1_000_000
    var waited = measured
    if measuredUntil &+ measured < polled {
      // A signal interrupted the poll, and libuv forgot the time before it.
      waited = min(nanoseconds, polled &+ 1_000_000) &- measuredUntil
    }
    core.metrics.idle.add(waited)
    measuredUntil &+= waited
  }

  /// Measures up to the end of a run. The time until the next run does not
  /// count.
  func endMeasuring() {
    guard _slowPath(core.needsSlowTick), !core.isForked else { return }
    endRecordedRun()
    if isTimed { measureTick() }
  }

  private var idleNanoseconds: UInt64 { time.isVirtual ? 0 : uv.idleNanoseconds }
}
