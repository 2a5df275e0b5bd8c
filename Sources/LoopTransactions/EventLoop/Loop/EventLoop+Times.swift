// Time measurement, if enabled. A measured tick ends when libuv is about to
// poll. A wait ends with the first callback after it.
extension EventLoop {
  /// Starts measuring now.
  func beginMeasuring() {
    guard times.isEnabled, state != .closed, !wasTornDown else { return }
    // Called for every run, because it costs nothing and the owner of an
    // adopted loop may have changed the setting.
    if !time.isVirtual { uv.measureIdleTime() }
    times.measuredUntil = nanoseconds
    times.idleBefore = idleNanoseconds
    times.isWaitUnmeasured = false
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
    let busy = now > times.measuredUntil ? now - times.measuredUntil : 0
    core.metrics.busy.add(busy)
    if busy > core.metrics.longestTick.value { core.metrics.longestTick.set(busy) }
    times.measuredUntil = now
    times.idleBefore = idleNanoseconds
    // The poll of a loop that was stopped does not block.
    times.isWaitUnmeasured = didAnnounceSleep && !uv.isStopping
  }

  /// Adds the time that the loop waited to the idle time, if this is the first
  /// callback since the poll.
  @inline(__always)
  func endMeasuredWait() { if _slowPath(times.isWaitUnmeasured) { measureWait() } }

  @inline(never)
  private func measureWait() {
    times.isWaitUnmeasured = false
    guard !time.isVirtual, !wasTornDown else { return }
    let measured = idleNanoseconds &- times.idleBefore
    // libuv's clock is from the end of the poll, in whole milliseconds.
    let polled = uv.milliseconds &* 1_000_000
    var waited = measured
    if times.measuredUntil &+ measured < polled {
      // A signal interrupted the poll, and libuv forgot the time before it.
      waited = min(nanoseconds, polled &+ 1_000_000) &- times.measuredUntil
    }
    core.metrics.idle.add(waited)
    times.measuredUntil &+= waited
  }

  /// Measures up to the end of a run. The time until the next run does not
  /// count.
  func endMeasuring() {
    guard _slowPath(core.needsSlowTick), !core.isForked else { return }
    endRecordedRun()
    if times.isEnabled { measureTick() }
  }

  private var idleNanoseconds: UInt64 { time.isVirtual ? 0 : uv.idleNanoseconds }
}

/// The state of time measurement. Loop only.
struct MeasuredTimes {
  var isEnabled = false
  /// The moment up to which time was measured, and libuv's idle time then. A run
  /// that begins moves both to its start.
  var measuredUntil: UInt64 = 0
  var idleBefore: UInt64 = 0
  /// Whether the time since then began with a poll that may block, and no
  /// callback has run since.
  var isWaitUnmeasured = false
}
