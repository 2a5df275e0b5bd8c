import Synchronization

/// A libuv loop and the thread that runs it.
///
/// Changes are committed to the loop, coalesced, and performed just before the
/// loop waits for events. Observers are called at defined points of each tick,
/// in a defined order. Other threads use the loop's `port`.
///
/// A loop belongs to the thread that created it. Calling it from another thread
/// traps with a message, in release builds too.
///
/// Call `close()` before you release a loop. `EventLoop.run(body:)` does so in
/// every case. Releasing an open loop is reported on standard error, and refuses
/// everything that the loop had accepted, on the thread that released the loop:
///
/// - Posted closures and committed targets are released without being called.
/// - `LoopPort.postAndWait` and tasks that sleep on the loop throw
///   `LoopPort.PostError.closed`.
/// - Jobs of tasks run on a worker, as do jobs that arrive after `close()`.
/// - A function posted with a context is not called, and its context leaks.
///
/// ```swift
/// let loop = try EventLoop()
/// let label = Label()
/// loop.commit(label, Label.layout)
/// loop.commit(label, Label.layout)  // coalesced with the first
/// loop.run()  // lays out once, then returns
/// ```
///
/// Modelled on Core Foundation's run loop and its observers. It has the role of
/// `EventLoop` in SwiftNIO, `RunLoop` in Foundation, and `uv_loop_t` in libuv.
public final class EventLoop {
  let uv: UVLoop
  let ownsLoop: Bool
  package let core: PortCore
  let wakeSource: WakeSource
  let ticks: TickHandles
  let virtualTime: VirtualTime?
  let time: TimeSource
  let transactions: TransactionSet

  // Everything below is accessed on the loop's thread only. Exclusivity is
  // unchecked on the path of ticks and commits: these accesses never overlap,
  // and the dynamic check costs 5 to 10 ns each time.

  // Relaxed: a stepped loop may have moved to another thread while the thread
  // that it left compares it with `closed`. It is leaked then, so any answer is
  // safe.
  private let stateCell = Atomic(State.idle)
  @exclusivity(unchecked) package var observers = ObserverList()
  @exclusivity(unchecked) var meter: BudgetMeter
  // Whether the current run is a single tick. The end of such a run shares the
  // tick's budget.
  @exclusivity(unchecked) var isSingleTick = false
  @exclusivity(unchecked) var isArmed = false
  // Whether the next poll belongs to a host's turn.
  @exclusivity(unchecked) var isHostTurn = false
  // Whether a callback is running inside a host's own run.
  @exclusivity(unchecked) var isCalledBack = false
  // Whether the kernel reports each wake once, so that a wake need not be read.
  @exclusivity(unchecked) var usesEdgeTriggeredWakes = false

  @exclusivity(unchecked) var received = ReceivedPosts()
  // Whether the loop has marked its inbox as asleep, and not yet as awake.
  @exclusivity(unchecked) var didAnnounceSleep = false
  // The parts that other folders add to the loop, in the order in which they
  // are called.
  @exclusivity(unchecked) var parts: [any LoopPart]
  @exclusivity(unchecked) var host: Embedding?
  // The number of observers with pending work, plus one while a transaction is
  // pending. I12.
  @exclusivity(unchecked) var pendingWorkCount = 0
  // Whether a run that leaves pending work to the next run is calling its
  // `exit` observers.
  @exclusivity(unchecked) var leavesNextTick = false
  // Whether the budget refused more work to the observer being called.
  @exclusivity(unchecked) var wasRefusedMore = false
  @exclusivity(unchecked) var times = MeasuredTimes()

  @exclusivity(unchecked) var timers = TimerList()
  @exclusivity(unchecked) var deadlines = DeadlineTimers()
  @exclusivity(unchecked) var isFiringTimer = false
  @exclusivity(unchecked) var isStopWanted = false
  // The running callback that must not close the loop. See `withoutClosing`.
  @exclusivity(unchecked) var unclosable: StaticString?
  var waitReasons = WaitReasons()

  // Watches the main queue on the process's first thread, from the first run or
  // embedding on.
  var mainQueueNotice: MainQueueNotice?
  var didWatchMainQueue = false

  /// If not 0, the error that opening a timerfd fails with. For tests.
  package var timerRefusal: Int32 = 0

  weak var currentPort: LoopPort?

  @inline(__always)
  var state: State {
    get { stateCell.load(ordering: .relaxed) }
    set { stateCell.store(newValue, ordering: .relaxed) }
  }

  /// The life cycle of a loop.
  enum State: UInt8, AtomicRepresentable {
    case idle
    case running
    case leaving
    case closing
    case closed

    /// Whether the loop is closing or closed. One comparison.
    @inline(__always)
    var isEnding: Bool { rawValue >= Self.closing.rawValue }
  }

  // Measures ticks and their pieces of work, while someone asks for it.
  @exclusivity(unchecked) var recorder: UnsafeMutablePointer<Recorder>?
  @exclusivity(unchecked) var recording = LoopRecording()
  // The value of `ForkGuard.word` that the loop has noticed.
  @exclusivity(unchecked) var noticedWord: UInt64

  var storedPostCapacity: Int?

  /// Creates a loop from its components.
  ///
  /// - Parameter makeParts: Returns all parts, one of which are the transactions.
  init(
    uv: UVLoop,
    ownsLoop: Bool,
    wakeMethod: WakeMethod,
    time: VirtualTime?,
    orphanedJobs: OrphanedJobs,
    parts makeParts: (TransactionSet) -> [any LoopPart]
  ) throws(UVError) {
    do {
      wakeSource = try WakeSource(
        wakeMethod,
        loop: uv,
        descriptorWoke: wakeDescriptorIsReadable,
        asyncWoke: wakeHandleWasSent
      )
      ticks = try TickHandles(
        loop: uv,
        beforeWaiting: loopWillWait,
        afterWaiting: loopDidWait
      )
    } catch {
      // Freed here, because `deinit` does not run for an object that was not
      // fully initialised.
      received.free()
      if ownsLoop { try uv.close() }
      throw error
    }
    self.uv = uv
    self.ownsLoop = ownsLoop
    core = PortCore(source: wakeSource, time: time, orphanedJobs: orphanedJobs)
    noticedWord = core.plainWord
    virtualTime = time
    self.time = TimeSource(time)
    transactions = TransactionSet(core: core)
    parts = makeParts(transactions)
    meter = BudgetMeter(Budget(), clock: self.time)
    wakeSource.setOwner(self)
    ticks.setOwner(self)
    core.setLoop(self)
    for part in parts { part.attach(to: self) }
    becomeCurrentIfNoneRuns()
    noticeProcess()
    if Self.publishesWork { updateRecorder() }
  }

  deinit {
    reportUnlessClosed()
    deadlines.free()
    received.free()
  }
}

extension EventLoop {
  /// Traps unless the caller is on the loop's thread.
  @inline(__always)
  func checkThread(_ operation: StaticString) { core.checkThread(operation) }

  /// Traps unless the caller is on the loop's thread and the loop is open.
  @inline(__always)
  package func checkUsable(_ operation: StaticString) {
    if _fastPath(isUsableHere) { return }
    checkUsableSlowly(operation)
  }

  /// Whether the caller is on the loop's thread and the loop is open.
  @inline(__always)
  var isUsableHere: Bool { core.isOnThread && state != .closed }

  @inline(never)
  private func checkUsableSlowly(_ operation: StaticString) {
    checkThread(operation)
    if state != .closed { return }
    trap("\(operation): the loop is closed; make a new one, or call this before close()")
  }

  /// Whether the loop accepts commits.
  var takesCommits: Bool {
    switch state {
    case .idle, .running, .leaving: true
    case .closing, .closed: false
    }
  }

  /// Whether the owner of an adopted loop closed our handles. If so, libuv's
  /// loop may have been freed.
  @inline(__always)
  var wasTornDown: Bool { !ownsLoop && (ticks.areClosing || wakeSource.isClosing) }

  /// Traps in a forked child. A change of the loop's poll there would change
  /// the parent's too.
  func checkNotForked(_ operation: StaticString) {
    guard core.isForked else { return }
    trap("\(operation): the loop belongs to the parent process; make one in the child")
  }

  /// Traps if the owner of an adopted loop closed our handles.
  func checkNotTornDown(_ operation: StaticString) {
    guard wasTornDown else { return }
    trap("\(operation): the owner closed the adopted loop; call EventLoop.close() first")
  }

  /// The loop's current time, in nanoseconds.
  @inline(__always)
  var nanoseconds: UInt64 { time.nanoseconds }

  /// The loop's current time.
  ///
  /// Call on the loop. A stepped loop has a virtual clock; every other loop
  /// reads the system's clock.
  public var now: LoopClock.Instant {
    checkThread("EventLoop.now")
    return LoopClock.Instant(nanoseconds: nanoseconds)
  }

  /// The address of the `uv_loop_t`.
  ///
  /// Call on the loop. For handles of your own, and for the libuv adapters of
  /// client libraries, such as hiredis's `redisLibuvAttach`. The package's
  /// product `CUV` is libuv for Swift. Use the address on the loop's thread,
  /// and only while the loop is open:
  ///
  /// - You may open, start, stop and close handles and requests, in callbacks
  ///   as well. They run in the poll or where libuv calls them, and their
  ///   commits are performed before the loop waits.
  /// - Close your handles before `close()`. It throws `EBUSY` with their types
  ///   otherwise.
  /// - Pass a function at file scope as the callback. A closure that is written
  ///   in main-actor code traps on another thread.
  /// - Do not call `uv_run`, `uv_loop_close`, or `uv_loop_configure` on a loop
  ///   that `EventLoop()` created. Use `run()`, `close()` and `measuresTime`.
  /// - Do not close or stop the handles that this library opened.
  ///
  /// The opposite of `init(adopting:)`.
  public var libuvLoop: UnsafeMutableRawPointer {
    checkUsable("EventLoop.libuvLoop")
    return UnsafeMutableRawPointer(uv.pointer)
  }

  /// Counters of the loop's work so far.
  ///
  /// Call on the loop. Other threads use `LoopPort.metrics`.
  public var metrics: LoopMetrics {
    checkThread("EventLoop.metrics")
    core.metrics.pendingPosts.set(UInt64(postsLeft))
    for part in parts { part.updateMetrics(core.metrics) }
    return core.metrics.snapshot
  }

  // For tests.

  /// The number of timers that have not ended. Call on the loop.
  package var timerCount: Int { timers.count }

  /// The number of attached observers, including the loop's own. Call on the
  /// loop.
  package var observerCount: Int { observers.count }
}
