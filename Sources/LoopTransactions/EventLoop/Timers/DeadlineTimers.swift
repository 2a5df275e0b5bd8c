/// The precise timers of a loop that wait for a deadline, and the timerfd that
/// ends the loop's wait for the earliest of them.
///
/// The timerfd is opened for the first timer and kept until the loop closes. It
/// is set at most once per tick, and only if the earliest deadline has changed:
/// see `EventLoop.setDeadline()`. I34.
struct DeadlineTimers {
  private var heap = DeadlineHeap<LoopTimer>()
  private var source: DeadlineSource?
  // The number of timers that the loop's run waits for.
  private var awaited = 0
  // The deadline at which the timerfd expires. `never` if it is disarmed.
  private var armed = Self.never
  // Whether the kernel reports each expiry once, so that none need be read.
  private var isEdgeTriggered = false

  /// Whether the timerfd may be set to another deadline than the earliest.
  private(set) var isStale = false

  /// Not a deadline of the kernel, whose clock ends earlier.
  private static var never: UInt64 { .max }

  /// Whether there is a timerfd.
  var isOpen: Bool { source != nil }

  /// Whether due timers are being called.
  var isInPass: Bool { heap.isInPass }

  mutating func open(_ source: DeadlineSource) {
    source.keepsLoopAlive(false)
    self.source = source
  }

  /// Adds a timer that waits for its deadline.
  mutating func add(_ timer: LoopTimer) {
    if timer.heapIndex >= 0 { remove(timer) }
    if heap.add(timer, at: timer.due.nanoseconds) { isStale = true }
  }

  /// Removes a timer, if it waits.
  mutating func remove(_ timer: LoopTimer) {
    guard timer.heapIndex >= 0 else { return }
    if heap.remove(timer) { isStale = true }
  }

  /// Changes the number of timers that the loop's run waits for.
  mutating func changeAwaited(by difference: Int) {
    let before = awaited
    awaited += difference
    if (before > 0) != (awaited > 0) { source?.keepsLoopAlive(awaited > 0) }
  }

  /// Called when the timerfd of the loop `uv` has expired.
  mutating func didExpire(on uv: UVLoop) {
    armed = Self.never
    isStale = true
    guard !isEdgeTriggered, let source else { return }
    source.acknowledge()
    isEdgeTriggered = source.enableEdgeTriggering(on: uv)
  }

  /// Makes timers that are added from now on wait for the next pass.
  mutating func beginPass() { heap.beginPass() }

  /// Removes the next timer of the pass that is due at `time`, or returns nil.
  mutating func removeNext(dueAt time: UInt64) -> LoopTimer? { heap.removeFirst(dueAt: time) }

  mutating func endPass() { heap.endPass() }

  /// Sets the timerfd to the earliest deadline, with at most one system call.
  mutating func set() {
    // A host may make a tick inside a callback of a pass.
    if heap.isInPass { heap.endPass() }
    isStale = false
    let next = heap.firstDeadline ?? Self.never
    guard next != armed, let source else { return }
    armed = next
    if next == Self.never { source.disarm() } else { source.arm(at: next) }
  }

  /// Keeps the timerfd from waking a child process.
  func stopInChild(of uv: UVLoop) { source?.stopInChild(of: uv) }

  /// Detaches the loop. The next expiry stops the poll handle.
  func detachOwner() { source?.detachOwner() }

  /// The addresses of the libuv handles: none or one.
  var addresses: [UnsafeMutableRawPointer] { source.map { [$0.address] } ?? [] }

  /// Closes the timerfd.
  mutating func close() {
    source?.close()
    source = nil
  }

  /// Frees the memory.
  mutating func free() { heap.free() }
}

extension LoopTimer: DeadlineNode {}

// The timerfd of precise timers. I34.
extension EventLoop {
  /// Opens the timerfd, unless it is open. Returns false if the system does not
  /// permit it.
  func openDeadlines() throws(UVError) -> Bool {
    if deadlines.isOpen { return true }
    let descriptor: Int32
    do {
      descriptor = try DeadlineSource.open(failing: timerRefusal)
    } catch {
      guard DeadlineSource.isRefusal(error) else { throw error }
      CoarseTimers.reportOnce(error)
      return false
    }
    deadlines.open(
      try DeadlineSource(descriptor, loop: uv, owner: self, reached: deadlineWasReached)
    )
    return true
  }

  /// Called when the timerfd has expired. Calls the timers that are due now. A
  /// timer that a callback starts waits for the next expiry.
  func deadlineReached() {
    // The parent calls the timers, and resets the timerfd.
    guard !core.isForked else { return }
    deadlines.didExpire(on: uv)
    let end = nanoseconds
    deadlines.beginPass()
    while let timer = deadlines.removeNext(dueAt: end) { timer.timerFired() }
    deadlines.endPass()
    earliestDeadlineMayHaveChanged()
  }

  /// Sets the timerfd now, unless it is certain to be set before libuv blocks
  /// and before the loop returns to a host.
  func earliestDeadlineMayHaveChanged() {
    if deadlines.isStale, !setsDeadlineLater { setDeadline() }
  }

  /// Whether the timerfd is certain to be set later. I34.
  private var setsDeadlineLater: Bool {
    deadlines.isInPass || (ownsLoop && (state != .idle || host == nil))
  }

  /// Sets the timerfd to the earliest deadline.
  @inline(never)
  func setDeadline() {
    // The timerfd is shared with the parent.
    if !core.isForked { deadlines.set() }
  }
}

private func deadlineWasReached(_ handle: PollHandle?, _ status: Int32, _ events: Int32) {
  // If there is no owner, a child process closed the loop it inherited, and runs
  // its host's.
  guard let loop = owner(of: handle, as: EventLoop.self) else { return stopWatching(handle) }
  loop.deadlineReached()
}
