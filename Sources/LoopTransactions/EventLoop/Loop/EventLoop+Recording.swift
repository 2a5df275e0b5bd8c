// Measuring ticks and pieces of work, on request. X2, I33.
extension EventLoop {
  /// Called at the end of each tick, with its measurements. Defaults to nil.
  ///
  /// Call on the loop. While set, ticks and pieces of work take longer by the
  /// figures in `docs/performance.md`. The loop calls the handler before it polls, so
  /// work that the handler adds is performed in the next tick. Work since the
  /// last poll of a run is reported when the run returns; work that the handler
  /// adds then is left to the next run. If the loop does not sleep, the time of
  /// the handler belongs to the next tick. A handler that replaces itself takes
  /// effect from the next tick on. A handler that is set in a callback gets no
  /// report of the tick that is running.
  ///
  /// ```swift
  /// loop.tickHandler = { tick in
  ///   if tick.duration > .milliseconds(10) { print("late:", tick) }
  /// }
  /// ```
  public var tickHandler: ((TickReport) -> Void)? {
    get {
      checkThread("EventLoop.tickHandler")
      return recording.tickHandler?.body
    }
    set {
      checkUsable("EventLoop.tickHandler")
      // Released after the access, because a `deinit` of the captures may use
      // the loop.
      let old = recording.tickHandler
      recording.tickHandler = newValue.map(TickHandler.init)
      updateRecorder()
      keepIfReporting(old)
      withExtendedLifetime(old) {}
    }
  }

  /// Whether `LoopPort.latencies` has the latencies of this loop's ticks.
  /// Defaults to false.
  ///
  /// Call on the loop. When false, latencies cost nothing. When true, they take
  /// 57 KB, and each tick takes as much longer as with a `tickHandler`.
  /// With a `tickHandler` as well, ticks and pieces are timed only once.
  /// Recording begins with the next tick, and allocates nothing. Setting this to
  /// false keeps the latencies recorded so far; recording again adds to them.
  public var recordsLatencies: Bool {
    get {
      checkThread("EventLoop.recordsLatencies")
      return recording.latencies != nil
    }
    set {
      checkUsable("EventLoop.recordsLatencies")
      recording.latencies = newValue ? Unmanaged.passUnretained(core.latencyCells) : nil
      updateRecorder()
    }
  }

  /// The watchdog that reports ticks of this loop that take long. Defaults to
  /// nil.
  ///
  /// Call on the loop. The loop keeps the watchdog until it is replaced, or
  /// until the loop is closed. A loop with a virtual clock is not watched.
  /// Setting it during a tick watches from the next tick on. At most 256 loops
  /// and workers of a process can be watched or recorded at the same time;
  /// further ones are not watched.
  public var watchdog: LoopWatchdog? {
    get {
      checkThread("EventLoop.watchdog")
      return recording.watchdog
    }
    set {
      checkUsable("EventLoop.watchdog")
      let old = recording.watchdog
      leaveWatchdog()
      recording.watchdog = newValue
      updateRecorder()
      if let slot = recorder?.pointee.slot, virtualTime == nil { newValue?.add(slot) }
      newValue?.prepareThread()
      withExtendedLifetime(old) {}
    }
  }

  /// Ends the watch, before the slot is given back or the watchdog replaced.
  private func leaveWatchdog() {
    if let slot = recorder?.pointee.slot { recording.watchdog?.remove(slot) }
  }

  /// Whether the environment asks each loop to publish its work, as
  /// `loopbench watch` does for the programs that it starts. Read once.
  static let publishesWork = System.environment("LOOPTRANSACTIONS_PUBLISHES_WORK") != nil

  /// Starts or stops recording, after a setting has changed.
  func updateRecorder() {
    let wanted =
      recording.tickHandler != nil || recording.watchdog != nil || recording.latencies != nil
      || recording.traceRing != nil || !recording.frameMeters.isEmpty || Self.publishesWork
    if wanted, recorder == nil { startRecording() } else if !wanted { stopRecording() }
    core.setRecords(ticks: times.isEnabled || recorder != nil, wakes: recorder != nil)
  }

  private func startRecording() {
    let new = Recorder(
      metrics: core.metrics,
      virtualTime: virtualTime.map { time in { time.nanoseconds } },
      isInTick: state != .idle || isCalledBack
    )
    if let memory = recording.memory {
      memory.replace(by: new)
    } else {
      recording.memory = RecorderMemory(new)
    }
    recorder = recording.memory?.recorder
    recorder?.pointee.frameMeters = recording.frameMeters
  }

  private func stopRecording() {
    recorder?.pointee.stop()
    recorder = nil
  }

  /// Notes that the calling thread runs the loop from now on.
  func moveRecordToThisThread() {
    recorder?.pointee.slot?.moveToThisThread()
    recording.watchdog?.prepareThread()
  }

  /// Stops  Called when the loop is closed.
  func endRecording() {
    let (handler, watchdog) = (recording.tickHandler, recording.watchdog)
    leaveWatchdog()
    recording.tickHandler = nil
    recording.watchdog = nil
    recording.latencies = nil
    recording.frameMeters = []
    endTracing()
    stopRecording()
    core.setRecords(ticks: false, wakes: false)
    keepIfReporting(handler)
    withExtendedLifetime((handler, watchdog)) {}
  }

  /// Notes that the poll has returned, if this is the first callback since then.
  @inline(__always)
  func enterTick() {
    endMeasuredWait()
    recorder?.pointee.enterTick(polledAt: wasTornDown ? 0 : uv.milliseconds)
  }

  /// Records the latencies of the tick that ends at `end`, and passes its
  /// measurements to the handler. Returns whether there is a handler.
  @inline(__always)
  @discardableResult
  func reportTick(_ recorder: UnsafeMutablePointer<Recorder>, at end: UInt64) -> Bool {
    // If the recording began during the tick, its beginning is not known.
    guard recorder.pointee.endTick(at: end) else { return false }
    recording.latencies?._withUnsafeGuaranteedRef { $0.record(recorder) }
    guard let handler = recording.calledHandler else { return false }
    let wasReporting = recording.isReporting
    recording.isReporting = true
    handler._withUnsafeGuaranteedRef { $0.body(TickReport(recorder.pointee.tick)) }
    recording.isReporting = wasReporting
    if _slowPath(!recording.replacedHandlers.isEmpty), !wasReporting { releaseReplaced() }
    return true
  }

  /// Keeps a replaced handler until the report ends, because it may be running.
  private func keepIfReporting(_ handler: TickHandler?) {
    if recording.isReporting, let handler { recording.replacedHandlers.append(handler) }
  }

  @inline(never)
  private func releaseReplaced() {
    // Released after the access, because a `deinit` of the captures may use the
    // loop.
    let replaced = recording.replacedHandlers
    recording.replacedHandlers = []
    withExtendedLifetime(replaced) {}
  }

  /// Called when a run or a host's turn begins.
  func beginRecordedRun() {
    noticeProcess()
    guard let recorder else { return }
    recorder.pointee.leaveRun()
    let sent = core.claimWakeStamp()
    // A host's own wake makes a turn without calling `woke()`. Without a host,
    // the wake was sent before the run, when the loop was not late.
    guard host != nil, let sent else { return }
    enterTick()
    recorder.pointee.wasDue(atCycles: sent)
  }

  /// Reports the work since the last poll of a run that has returned.
  func endRecordedRun() {
    guard let recorder else { return }
    if recorder.pointee.hasPieces { reportTick(recorder, at: recorder.pointee.now) }
    recorder.pointee.leaveRun()
  }

  /// Notes that a wake arrived.
  func recordWake() {
    enterTick()
    guard let recorder else { return }
    if let sent = core.claimWakeStamp() { recorder.pointee.wasDue(atCycles: sent) }
  }

  /// Publishes for a watchdog that the host runs work of its own, called `name`,
  /// or that it waits if `name` is nil.
  func publishHostsWork(_ name: StaticString?) {
    recorder?.pointee.publish(hostsWork: name.map { OwnerWord(.other, $0) })
  }

  /// Calls `body` as a piece of work of `owner`.
  @inline(__always)
  func recorded(_ owner: @autoclosure () -> OwnerWord, _ body: () -> Void) {
    guard _slowPath(core.needsSlowTick) else { return body() }
    enterTick()
    guard let recorder else { return body() }
    let outer = recorder.pointee.enter()
    recorder.pointee.begin(owner())
    body()
    recorder.pointee.end(outer)
  }
}

/// The parts of a loop that ask for its recorder. Loop only.
struct LoopRecording {
  // Kept until the loop is released, because a piece of work may stop the
  // recording that it is part of.
  var memory: RecorderMemory?
  /// The meters of frame clocks that report.
  var frameMeters: [FrameMeter] = []
  /// Where the loop records for a trace.
  var traceRing: TraceRing?
  var watchdog: LoopWatchdog?
  // The cells of the loop's core, if the loop records latencies. The core keeps
  // the cells. Unmanaged, so that a tick does not count a reference.
  var latencies: Unmanaged<LatencyCells>?
  var tickHandler: TickHandler? {
    didSet { calledHandler = tickHandler.map(Unmanaged.passUnretained) }
  }
  // `tickHandler`, for ticks.
  private(set) var calledHandler: Unmanaged<TickHandler>?
  // Whether a tick handler is running. A handler that is replaced meanwhile is
  // kept in `replacedHandlers` until it has returned.
  var isReporting = false
  var replacedHandlers: [TickHandler] = []
}

/// The handler of a loop's ticks. An object, so that a tick can call it without
/// counting a reference.
final class TickHandler {
  let body: (TickReport) -> Void

  /// Creates a handler that calls `body`.
  init(_ body: @escaping (TickReport) -> Void) { self.body = body }
}
