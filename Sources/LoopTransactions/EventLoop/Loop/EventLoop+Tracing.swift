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
    traceRing = TraceRegistry.makeRing(
      virtualTime == nil ? .loop : .steppedLoop,
      time: virtualTime.map { time in { time.nanoseconds } },
      name: name
    )
    updateRecorder()
    recorder?.pointee.setTrace(traceRing)
    transactions.setTraced(traceRing != nil)
    return true
  }

  /// Stops tracing, because the loop closes.
  func endTracing() {
    recorder?.pointee.setTrace(nil)
    if traceRing != nil { transactions.setTraced(false) }
    traceRing = nil
  }

  /// Records that an arrow to work of the loop begins in the code that the
  /// loop's thread runs.
  func beginArrow(_ topic: TraceEvent.Topic, _ key: UInt64) {
    guard traceRing != nil else { return }
    recorder?.pointee.beginArrow(topic, key)
  }

  /// Records that the arrow of an operation ends in the code that the loop runs.
  func endArrow(of operation: AnyObject) {
    recorder?.pointee.endArrow(.operation, TraceEvent.key(of: operation))
  }

  /// Does the same as `post(_:at:)` in rare states of the loop.
  @inline(never)
  func postSlowly(_ item: PostedItem) {
    var item = item
    checkUsable("EventLoop.post")
    if state == .closing, !core.hasLoop { return item.drop() }
    beginArrow(.post, core.traceKey(of: item))
    local.append(item)
    arm()
  }
}

// The arrows from posts of any thread.
extension PortCore {
  /// Does the same as `append(_:)` in a forked child, or while a trace runs.
  @inline(never)
  func appendSlowly(_ item: PostedItem) -> Bool {
    if isForked { return false }
    // Read before the loop can run the item.
    let time = CycleClock.cycles
    guard isOnThread ? appendOnThread(item) : appendOffThread(item) else { return false }
    tracePost(item, at: time)
    return true
  }

  /// Does the same as `append(_:unless:)` in a forked child, or while a trace
  /// runs.
  @inline(never)
  func appendSlowly(_ item: PostedItem, unless mark: InboxMark) -> Inbox.Outcome? {
    if isForked { return .refused }
    let time = CycleClock.cycles
    let outcome = appendOffThread(item, unless: mark)
    switch outcome {
    case .queued, .queuedAndWake: tracePost(item, at: time)
    case .refused, nil: break
    }
    return outcome
  }

  /// Identifies `item` among the posts to all loops, until it has run.
  @inline(never)
  func traceKey(of item: PostedItem) -> UInt64 {
    // Multiplied by the golden ratio, which mixes the bits.
    let ratio: UInt64 = 0x9E37_79B9_7F4A_7C15
    let port = UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    let kind = (port &* ratio) ^ UInt64(item.kind)
    let first = (kind &* ratio) ^ UInt64(item.first)
    return (first &* ratio) ^ UInt64(item.second)
  }

  /// Records a post that was made at `time`.
  func tracePost(_ item: PostedItem, at time: UInt64) {
    let key = traceKey(of: item)
    if isOnThread || (virtualTime.map { $0.operationThread == threadIdentity() } ?? false) {
      if let loop = loopOnThread, loop.traceRing != nil { return loop.beginArrow(.post, key) }
    }
    // Times of a virtual clock and of the system's cannot be compared.
    guard virtualTime == nil, let ring = TraceThread.ring, ring.kind != .steppedLoop else {
      return
    }
    ring.writer.append(TraceEvent(.arrowBegin, at: time, value: key, topic: .post))
  }
}
