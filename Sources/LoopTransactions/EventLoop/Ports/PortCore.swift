import Synchronization

/// The state that a loop shares with other threads: its inbox and its wake
/// source.
package final class PortCore: @unchecked Sendable {
  // @unchecked: `loop` is accessed on the loop's thread only. `source` is used
  // only while the inbox counts the sender. The other properties are constant
  // or atomic.

  package let inbox = Inbox()
  let metrics = MetricsCells()
  // Set when latencies are first recorded, and kept for readers.
  private let lazyLatencies = AtomicLazyReference<LatencyCells>()
  let orphanedJobs: OrphanedJobs

  // The identity of the loop's thread, or 0. Only a loop whose host changes
  // threads changes it. All accesses are relaxed: a thread that compares it with
  // its own identity with success has stored it.
  private let threadCell = Atomic(threadIdentity())

  private let generation = ForkGuard.install()
  // The value of `ForkGuard.word` in the process that created the loop, while no
  // trace runs.
  let plainWord: UInt64
  // Equals `plainWord`, or no such value while ticks are measured. So one
  // comparison finds all rare cases. Loop only.
  @exclusivity(unchecked) private var tickWord: UInt64

  // Whether a thread that wakes the loop stores the time. Relaxed: a wake
  // without a time only lacks its lateness.
  private let stampsWakes = Atomic(false)
  // The value of `CycleClock.cycles` when the loop was last woken, or 0.
  // Relaxed: orders no other memory.
  private let wakeStamp = Atomic<UInt64>(0)
  private let source: WakeSource

  // Not retained, because the loop clears this property before the loop is
  // freed. Unmanaged, so that a post does not count a reference. Loop only.
  @exclusivity(unchecked) private var loop: Unmanaged<EventLoop>?

  /// Whether the loop is closed and its thread no longer runs code of it. Loop
  /// only.
  @exclusivity(unchecked) private(set) var didLeaveThread = false

  // The address of the task whose job is running, if the task prefers the loop.
  // Loop only.
  @exclusivity(unchecked) var runningTask: UInt = 0

  // The address of a retained `HostWake`, or 0. Posts call it to wake the host
  // of an embedded loop. Set on the loop's thread.
  private let hostWake = Atomic<UInt>(0)

  /// The clock of a stepped loop.
  let virtualTime: VirtualTime?

  init(source: WakeSource, time: VirtualTime?, orphanedJobs: OrphanedJobs) {
    self.source = source
    self.orphanedJobs = orphanedJobs
    virtualTime = time
    plainWord = UInt64(UInt32(bitPattern: generation))
    tickWord = plainWord
    LoopTrace.startFromEnvironment()
  }

  deinit { inbox.free() }

  /// Whether this is not the process that created the loop, but a forked child.
  @inline(__always)
  package var isForked: Bool { ForkGuard.generation != generation }

  /// Whether a tick has more to do than usual: this is a forked child, a trace
  /// runs, or ticks are measured. Loop only.
  @inline(__always)
  var needsSlowTick: Bool { ForkGuard.word != tickWord }

  /// Whether this is a forked child, or a trace runs. Call from any thread.
  @inline(__always)
  private var isUnusual: Bool { ForkGuard.word != plainWord }

  /// Sets whether ticks are measured, and whether the times of wakes are stored.
  /// Loop only.
  func setRecords(ticks: Bool, wakes: Bool) {
    tickWord = ticks ? .max : plainWord
    stampsWakes.store(wakes, ordering: .relaxed)
    wakeStamp.store(0, ordering: .relaxed)
  }

  /// Returns the time of the last wake, and forgets it.
  func claimWakeStamp() -> UInt64? {
    let stamp = wakeStamp.exchange(0, ordering: .relaxed)
    return stamp == 0 ? nil : stamp
  }

  /// The latencies, if some were ever recorded. Call from any thread.
  var recordedLatencies: LatencyCells? { lazyLatencies.load() }

  /// The latencies to add to.
  var latencyCells: LatencyCells {
    lazyLatencies.load() ?? lazyLatencies.storeIfNil(LatencyCells())
  }

  /// The identity of the loop's thread, or 0 if the loop has none at the moment.
  @inline(__always)
  var thread: UInt { threadCell.load(ordering: .relaxed) }

  /// Makes the calling thread the loop's. The previous thread must have called
  /// `leaveThread()` before, in an order that the caller guarantees.
  func enterThread() { threadCell.store(threadIdentity(), ordering: .relaxed) }

  /// Makes the loop belong to no thread until `enterThread()`.
  func leaveThread() { threadCell.store(0, ordering: .relaxed) }

  /// Whether the caller is on the loop's thread.
  @inline(__always)
  package var isOnThread: Bool { threadIdentity() == thread }

  /// Traps unless the caller is on the loop's thread.
  @inline(__always)
  package func checkThread(_ operation: StaticString) {
    if _fastPath(isOnThread) { return }
    if didFollowTask(operation) { return }
    trapOffThread(operation)
  }

  @inline(never)
  private func trapOffThread(_ operation: StaticString) -> Never {
    if let virtualTime, virtualTime.operationThread == threadIdentity() {
      trap(
        "\(operation): the body of an operation runs off the loop; use the loop in its completion, "
          + "or the loop's port in the body"
      )
    }
    let hint = virtualTime == nil ? "" : ", or mark a test that awaits @MainActor"
    trap("\(operation): the loop belongs to another thread; use its port from this one\(hint)")
  }

  /// Sets or clears the core's loop.
  func setLoop(_ loop: EventLoop?) { self.loop = loop.map(Unmanaged.passUnretained) }

  /// Called when the loop is closed and its thread no longer runs code of it.
  func loopDidLeaveThread() {
    didLeaveThread = true
    orphanedJobs.loopDidLeaveThread()
  }

  /// Appends `item` to the loop's inbox. Returns false if the loop is closed or
  /// the inbox is full; `item` then still belongs to the caller.
  ///
  /// Call from any thread.
  @inline(__always)
  package func append(_ item: PostedItem) -> Bool {
    if _slowPath(isUnusual) { return appendTraced(item) }
    return isOnThread ? appendOnThread(item) : appendOffThread(item)
  }

  /// Makes the loop call `function` with `object`, which is retained until then.
  /// Returns false if the loop is closed.
  ///
  /// Call from any thread.
  @discardableResult
  package func call(_ function: PostedCall, with object: AnyObject) -> Bool {
    var item = PostedItem(function, object)
    if append(item) { return true }
    item.drop()
    return false
  }

  @inline(__always)
  private func appendOffThread(_ item: PostedItem) -> Bool {
    switch inbox.append(item) {
    case .queued, .joined: return true
    case .queuedAndWake: return send(for: item)
    case .refused: return false
    }
  }

  /// Appends `item` from another thread, unless an item with `mark` is waiting.
  func append(_ item: PostedItem, unless mark: InboxMark) -> Inbox.Outcome {
    let isTraced = _slowPath(isUnusual)
    if isTraced, isForked { return .refused }
    // Read before the loop can run the item.
    let time = isTraced ? CycleClock.cycles : 0
    let outcome = inbox.append(item, unless: mark)
    // Stays in the inbox if the host refuses, because another thread may have
    // joined the commit since.
    if outcome == .queuedAndWake { send(for: nil) }
    if isTraced, outcome == .queued || outcome == .queuedAndWake { tracePost(item, at: time) }
    return outcome
  }

  /// Makes posts call `wake` instead of writing to the wake descriptor. If nil,
  /// posts write to the descriptor again.
  ///
  /// Call on the loop. Returns the previous closure, which no thread is calling
  /// any more. The caller must release it last, because releasing its captures
  /// may run user code.
  package func setHostWake(_ wake: HostWake?) -> HostWake? {
    let new = wake.map { UInt(retaining: $0) } ?? 0
    // Release: a thread that reads the address sees the object it points to.
    let old = hostWake.exchange(new, ordering: .releasing)
    guard old != 0 else { return nil }
    // In a child process, a thread of the parent that was about to send does
    // not exist and would never finish.
    if isForked { return nil }
    inbox.waitForSenders()
    return Unmanaged.at(old).takeRetainedValue()
  }

  /// Makes the loop begin a tick and handle `flags`.
  ///
  /// Call from any thread, and from a signal handler.
  package func request(_ flags: UInt32) {
    guard !isForked, inbox.request(flags) else { return }
    send(for: nil, callsHost: false)
  }

  /// Whether the loop still runs posts of its own thread. Loop thread only.
  var hasLoop: Bool { loop != nil }

  /// The loop, until it is closed. Loop thread only.
  var loopOnThread: EventLoop? { loop?.takeUnretainedValue() }

  /// Calls `body` with the loop. Loop thread only.
  func onLoop(_ body: (EventLoop) -> Void) {
    checkThread("LoopPort")
    if let loop { body(loop.takeUnretainedValue()) }
  }

  @inline(__always)
  func appendOnThread(_ item: PostedItem) -> Bool {
    guard let loop else { return false }
    return loop._withUnsafeGuaranteedRef { loop in
      guard loop.state != .closing else { return false }
      loop.received.local.append(item)
      loop.arm()
      return true
    }
  }

  /// Calls `commit` on the loop's own thread. Returns false if the loop accepts
  /// nothing.
  @inline(__always)
  func commitOnThread(_ commit: (EventLoop) -> Void) -> Bool {
    guard !isForked, let loop else { return false }
    // Not retained, as in every other call of the loop on its thread.
    return loop._withUnsafeGuaranteedRef { loop in
      if loop.state == .closing { return false }
      commit(loop)
      return true
    }
  }

  /// Wakes the loop after `item`, if any, was appended. Returns false if the host
  /// refused the wake and the inbox still held `item`, which then belongs to the
  /// caller.
  ///
  /// - Parameter callsHost: False for a request, which may come from a signal
  ///   handler. The host must not be called there.
  @inline(never)
  @discardableResult
  private func send(for item: PostedItem?, callsHost: Bool = true) -> Bool {
    if stampsWakes.load(ordering: .relaxed) {
      wakeStamp.store(CycleClock.cycles, ordering: .relaxed)
    }
    // Acquire: pairs with `setHostWake`, which waits for this sender.
    let wake =
      callsHost ? Unmanaged<HostWake>.ifAny(at: hostWake.load(ordering: .acquiring)) : nil
    switch wake?._withUnsafeGuaranteedRef({ $0.body() }) {
    case .refused:
      let wasReclaimed = inbox.refuse(reclaiming: item)
      inbox.didSend()
      return !wasReclaimed
    case .notSent, nil: source.send()
    case .sent: break
    }
    metrics.wakesSent.addShared()
    inbox.didSend()
    return true
  }
}

/// A closure that wakes the host of an embedded loop.
package final class HostWake: Sendable {
  /// The result of a call.
  package enum Outcome: Sendable {
    /// The host was woken.
    case sent
    /// The caller must write to the loop's wake descriptor.
    case notSent
    /// The host has ended. It makes no more turns.
    case refused
  }

  let body: @Sendable () -> Outcome

  /// Creates a wake from a closure that returns whether it woke the host.
  package convenience init(_ body: @escaping @Sendable () -> Bool) {
    self.init(reporting: { body() ? .sent : .notSent })
  }

  package init(reporting body: @escaping @Sendable () -> Outcome) { self.body = body }
}

// Stepped loops, whose operations and whose test may run on several threads.
extension PortCore {
  /// Runs a stepped operation on the loop's thread as if on another thread: it
  /// must use the loop's port.
  package func leavingThread(_ operation: () -> Void) {
    leaveThread()
    virtualTime?.setOperationThread(threadIdentity())
    operation()
    virtualTime?.setOperationThread(0)
    enterThread()
  }

  /// Makes ticks while `isPending` returns true, if the caller is a stepped
  /// operation on the loop's thread. No other thread could answer its call.
  func tick(while isPending: () -> Bool) {
    guard let time = virtualTime, time.operationThread == threadIdentity() else { return }
    guard let loop = loopOnThread, loop.state == .idle else { return }
    time.setOperationThread(0)
    enterThread()
    while isPending() { loop.step() }
    leaveThread()
    time.setOperationThread(threadIdentity())
  }

  /// Moves a stepped loop to the calling thread if its test continues there.
  package func followTask(_ operation: StaticString) {
    if !isOnThread { _ = didFollowTask(operation) }
  }

  /// Moves a stepped loop to the calling thread if its test continues there.
  /// Returns whether it did.
  ///
  /// An async test changes threads when it awaits. So does a test on the main
  /// actor, because on Linux an asynchronous `main` leaves the first thread.
  @inline(never)
  func didFollowTask(_ operation: StaticString) -> Bool {
    guard thread != 0, let time = virtualTime, time.mayFollow else { return false }
    enterThread()
    if time.firstMove == nil, let loop = loopOnThread { keep(loop) }
    time.didMove(operation)
    return true
  }
}

/// The stepped loops that moved to another thread. Kept until the process ends,
/// because a loop may still be the current loop of a thread that it left.
private let movedLoops = Locked<[UInt]>([])

private func keep(_ loop: EventLoop) {
  let address = UInt(retaining: loop)
  movedLoops.withLock { $0.append(address) }
}

// The arrows from posts of any thread.
extension PortCore {
  /// Appends an item in a forked child, or while a trace runs.
  @inline(never)
  func appendTraced(_ item: PostedItem) -> Bool {
    if isForked { return false }
    // Read before the loop can run the item.
    let time = CycleClock.cycles
    guard isOnThread ? appendOnThread(item) : appendOffThread(item) else { return false }
    tracePost(item, at: time)
    return true
  }

  /// Identifies `item` among the posts to all loops, until it has run.
  @inline(never)
  func traceKey(of item: PostedItem) -> UInt64 {
    // Multiplied by the golden ratio, which mixes the bits.
    let ratio: UInt64 = 0x9E37_79B9_7F4A_7C15
    let port = UInt64(UInt(addressOf: self))
    let kind = (port &* ratio) ^ UInt64(item.kind)
    let first = (kind &* ratio) ^ UInt64(item.first)
    return (first &* ratio) ^ UInt64(item.second)
  }

  /// Records a post that was made at `time`.
  func tracePost(_ item: PostedItem, at time: UInt64) {
    let key = traceKey(of: item)
    if isOnThread || (virtualTime.map { $0.operationThread == threadIdentity() } ?? false) {
      if let loop = loopOnThread, loop.isTraced { return loop.beginArrow(.post, key) }
    }
    // Times of a virtual clock and of the system's cannot be compared.
    guard virtualTime == nil, let ring = TraceThread.ring, ring.kind != .steppedLoop else {
      return
    }
    ring.writer.append(TraceEvent(.arrowBegin, at: time, value: key, topic: .post))
  }
}
