// Taking part in a trace of the process. X3.
extension EventLoop {
  /// Starts or stops tracing, after a trace was started or stopped. Called at
  /// the beginning of a tick or run that `needsSlowTick`. Returns false in a
  /// forked child, where it does nothing.
  @inline(__always)
  @discardableResult
  func noticeProcess() -> Bool { _fastPath(ForkGuard.word == noticedWord) || changeTrace() }

  @inline(never)
  private func changeTrace() -> Bool {
    if core.isForked { return false }
    noticedWord = ForkGuard.word
    let name = { [self] in
      "\(virtualTime == nil ? "loop" : "stepped loop") (\(System.threadName))"
    }
    recording.traceRing = TraceRegistry.makeRing(
      virtualTime == nil ? .loop : .steppedLoop,
      time: virtualTime.map { time in { time.nanoseconds } },
      name: name
    )
    updateRecorder()
    recorder?.pointee.setTrace(recording.traceRing)
    transactions.setTraced(isTraced)
    return true
  }

  /// Stops tracing, because the loop closes.
  func endTracing() {
    recorder?.pointee.setTrace(nil)
    if isTraced { transactions.setTraced(false) }
    recording.traceRing = nil
  }

  /// Whether the loop takes part in a trace.
  var isTraced: Bool { recording.traceRing != nil }

  /// Records that an arrow to work of the loop begins in the code that the
  /// loop's thread runs.
  func beginArrow(_ topic: TraceEvent.Topic, _ key: UInt64) {
    guard isTraced else { return }
    recorder?.pointee.beginArrow(topic, key)
  }

  /// Records that the arrow of an operation ends in the code that the loop runs.
  func endArrow(of operation: AnyObject) {
    recorder?.pointee.endArrow(.operation, TraceEvent.key(of: operation))
  }

  /// Posts while the loop closes, or while a trace runs.
  @inline(never)
  func postChecked(_ item: PostedItem) {
    var item = item
    checkUsable("EventLoop.post")
    if state == .closing, !core.hasLoop { return item.drop() }
    beginArrow(.post, core.traceKey(of: item))
    received.local.append(item)
    arm()
  }
}
