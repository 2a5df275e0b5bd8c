// Times, when they are measured. A tick, here, ends where libuv is about to poll.
extension EventLoop {
  /// Begins to measure, at this moment.
  func beginMeasuring() {
    guard isTimed, state != .closed, !wasTornDown else { return }
    // Again and again: it costs nothing, and an adopted loop may be told otherwise.
    if !time.isVirtual { uv.measureIdleTime() }
    tickEnd = nanoseconds
    idleBefore = idleNanoseconds
  }

  /// Adds the stretch since the last call: what was not waiting was busy.
  func measureTick() {
    let (now, idle) = (nanoseconds, idleNanoseconds)
    let waited = idle &- idleBefore
    // libuv's reading and ours are not of one moment.
    let stretch = max(now &- tickEnd, waited)
    core.metrics.idle.add(waited)
    core.metrics.busy.add(stretch &- waited)
    if stretch &- waited > core.metrics.longestTick.value {
      core.metrics.longestTick.set(stretch &- waited)
    }
    tickEnd = now
    idleBefore = idle
  }

  /// Measures the end of a run; what lies behind it is not the loop's.
  func endMeasuring() {
    if isTimed { measureTick() }
  }

  private var idleNanoseconds: UInt64 { time.isVirtual ? 0 : uv.idleNanoseconds }
}
