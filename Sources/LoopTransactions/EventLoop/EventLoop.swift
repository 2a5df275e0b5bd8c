/// One libuv loop, and the one thread that runs it.
///
/// Changes are committed to the loop, coalesced, and performed just before it
/// waits for events; observers are called at stated points of each tick, in a
/// stated order; other threads reach it through its `port`.
///
/// A loop belongs to the thread that made it. Calling it from another thread
/// traps with a message, in release builds too.
///
/// Call `close()` before you release a loop. Releasing an open one traps in debug
/// builds. In release builds it is reported on standard error, and the loop then
/// refuses everything it accepted: closures and targets are released, without
/// being called, by the thread that released the loop; `LoopPort.postAndWait`,
/// and tasks that sleep on the loop, throw `LoopPort.PostError.closed`; jobs of
/// tasks run on a worker, as those do that come after `close()`. A function
/// posted with a context is not called, and its context is not freed.
///
/// ```swift
/// let loop = try EventLoop()
/// let label = Label()
/// loop.commit(label, Label.layout)
/// loop.commit(label, Label.layout)  // coalesced with the first
/// loop.run()                        // lays out once, then returns
/// ```
///
/// After Core Foundation's run loop, whose observers it brings to libuv.
public final class EventLoop {
  let uv: UVLoop
  let ownsLoop: Bool
  let core: PortCore
  let wakeSource: WakeSource
  let ticks: TickHandles
  let virtualTime: VirtualTime?
  let time: TimeSource
  let commits: any PendingCommits
  /// The address of `commits`, for the folder that knows their type.
  let commitsAddress: UnsafeMutableRawPointer
  let localBatch = ItemBuffer.allocate()
  let inboxBatch = ItemBuffer.allocate()

  // Everything below is touched on the loop's thread only. Unchecked
  // exclusivity where a tick or a commit passes: no access of these overlaps
  // another, and the dynamic check costs 5 to 10 ns each time.

  @exclusivity(unchecked) var state = State.idle
  @exclusivity(unchecked) var observers = ObserverList()
  @exclusivity(unchecked) var meter: BudgetMeter
  // Whether the run under way is one tick: its end shares that tick's budget.
  @exclusivity(unchecked) var isSingleTick = false
  @exclusivity(unchecked) var isArmed = false
  // Whether a callback in a host's own run is under way.
  @exclusivity(unchecked) var isCalledBack = false
  // Whether a wake is over without being read.
  @exclusivity(unchecked) var usesEdgeTriggeredWakes = false

  // Whether the last look into the inbox found so much that more is on its way,
  // and when that was, in cycles.
  @exclusivity(unchecked) var isBacklogged = false
  @exclusivity(unchecked) var lastInboxCheck: UInt64 = 0
  // Whether the loop said that it sleeps, and not that it is up.
  @exclusivity(unchecked) var didAnnounceSleep = false
  @exclusivity(unchecked) var local = ItemBuffer()
  // What other folders add, in the order in which they are called.
  var parts: [any LoopPart]
  @exclusivity(unchecked) var host: (any LoopHost)?
  // How many observers have pending work; one more while a transaction is pending. I12.
  @exclusivity(unchecked) var pendingWorkCount = 0
  // Whether the exit of a run of one tick is under way.
  @exclusivity(unchecked) var leavesNextTick = false
  // Whether the budget refused more work to the observer that is being called.
  @exclusivity(unchecked) var wasRefusedMore = false
  // Since when the time is not accounted for, and how long libuv had waited then.
  @exclusivity(unchecked) var tickEnd: UInt64 = 0
  @exclusivity(unchecked) var idleBefore: UInt64 = 0

  var timers = TimerList()
  @exclusivity(unchecked) var isFiringTimer = false
  @exclusivity(unchecked) var isStopWanted = false
  var portHolders = 0
  // The callback that is under way and cannot close the loop. See `withoutClosing`.
  @exclusivity(unchecked) var unclosable: StaticString?
  var isWaitingForPosts = false
  // For what runs wait that other threads will post, besides held ports.
  var holds = 0

  /// Whether a debug build traps where this loop is released without `close()`.
  /// A test of what happens then, as it does in a release build, says no.
  package var trapsWhenReleasedOpen = true

  /// If not 0, the error that precise timers find instead of a timerfd. For tests.
  package var timerRefusal: Int32 = 0

  weak var currentPort: LoopPort?

  /// Where the loop is between being made and being closed.
  enum State {
    case idle
    case running
    case leaving
    case closing
    case closed
  }

  // Behind the properties of the same names, which check the thread.
  var storedBudget = Budget()
  var storedPostCapacity: Int?
  @exclusivity(unchecked) var isTimed = false

  /// Puts a loop together.
  ///
  /// - Parameter parts: Makes the parts, and which of them holds the commits.
  init(
    uv: UVLoop,
    ownsLoop: Bool,
    wakeMethod: WakeMethod,
    time: VirtualTime?,
    orphanedJobs: OrphanedJobs,
    parts makeParts: (PortCore) -> (any PendingCommits, [any LoopPart])
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
        beforeWaiting: tickWaits,
        afterWaiting: tickWaited
      )
    } catch {
      // `deinit` does not run for what was never made.
      local.free()
      ItemBuffer.deallocate(localBatch)
      ItemBuffer.deallocate(inboxBatch)
      if ownsLoop { try uv.close() }
      throw error
    }
    self.uv = uv
    self.ownsLoop = ownsLoop
    core = PortCore(source: wakeSource, time: time, orphanedJobs: orphanedJobs)
    virtualTime = time
    self.time = TimeSource(time)
    (commits, parts) = makeParts(core)
    commitsAddress = Unmanaged.passUnretained(commits as AnyObject).toOpaque()
    meter = BudgetMeter(storedBudget, time: self.time)
    wakeSource.setOwner(self)
    ticks.setOwner(self)
    core.setLoop(self)
    for part in parts { part.attach(to: self) }
    becomeCurrentIfNoneRuns()
  }

  deinit {
    reportUnlessClosed()
    local.free()
    ItemBuffer.deallocate(localBatch)
    ItemBuffer.deallocate(inboxBatch)
  }
}

extension EventLoop {
  /// Traps unless the caller is on the loop's thread.
  @inline(__always)
  func checkThread(_ operation: StaticString) { core.checkThread(operation) }

  /// Traps unless the caller is on the loop's thread and the loop is open.
  @inline(__always)
  func checkUsable(_ operation: StaticString) {
    checkThread(operation)
    if _fastPath(state != .closed) { return }
    trap("\(operation): the loop is closed; make a new one, or call this before close()")
  }

  /// Whether a commit would be taken.
  var takesCommits: Bool {
    switch state {
    case .idle, .running, .leaving: true
    case .closing, .closed: false
    }
  }

  /// Whether the owner of an adopted loop closed our handles: libuv's loop may
  /// be gone.
  @inline(__always)
  var wasTornDown: Bool { !ownsLoop && (ticks.areClosing || wakeSource.isClosing) }

  /// Traps if the owner of an adopted loop closed our handles.
  func checkNotTornDown(_ operation: StaticString) {
    guard wasTornDown else { return }
    trap("\(operation): its owner closed the adopted loop; call EventLoop.close() first")
  }

  /// The present, by the loop's clock, in nanoseconds.
  @inline(__always)
  var nanoseconds: UInt64 { time.nanoseconds }

  /// The present, by the loop's clock.
  ///
  /// Call on the loop. Virtual on a stepped loop, else the system's.
  public var now: LoopClock.Instant {
    checkThread("EventLoop.now")
    return LoopClock.Instant(nanoseconds: nanoseconds)
  }

  /// The address of the `uv_loop_t`.
  package var libuvLoop: UnsafeMutableRawPointer { UnsafeMutableRawPointer(uv.pointer) }

  /// What the loop has done so far.
  ///
  /// Call on the loop; other threads ask its port.
  public var metrics: LoopMetrics {
    checkThread("EventLoop.metrics")
    core.metrics.pendingPosts.set(UInt64(postsLeft))
    for part in parts { part.updateMetrics(core.metrics) }
    return core.metrics.snapshot
  }
}
