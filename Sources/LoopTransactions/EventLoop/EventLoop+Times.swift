// Time measurement, if enabled. A measured tick ends when libuv is about to
// poll.
extension EventLoop {
  /// Starts measuring now.
  func beginMeasuring() {
    guard isTimed, state != .closed, !wasTornDown else { return }
    // Called for every run, because it costs nothing and the owner of an
    // adopted loop may have changed the setting.
    if !time.isVirtual { uv.measureIdleTime() }
    tickEnd = nanoseconds
    idleBefore = idleNanoseconds
  }

  /// Called when a run or a host's turn begins.
  func beginMeasuredRun() {
    guard _slowPath(core.needsSlowTick) else { return }
    beginRecordedRun()
    beginMeasuring()
  }

  /// Adds the time since the last call. Time not spent waiting counts as busy.
  func measureTick() {
    let (now, idle) = (nanoseconds, idleNanoseconds)
    let waited = idle &- idleBefore
    // libuv's idle time and our time are read at slightly different moments.
    let stretch = max(now &- tickEnd, waited)
    core.metrics.idle.add(waited)
    core.metrics.busy.add(stretch &- waited)
    if stretch &- waited > core.metrics.longestTick.value {
      core.metrics.longestTick.set(stretch &- waited)
    }
    tickEnd = now
    idleBefore = idle
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
