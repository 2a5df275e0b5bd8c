import Synchronization

/// What a loop shares with other threads: its inbox and the means to wake it.
package final class PortCore: @unchecked Sendable {
  // @unchecked: `loop` is touched on the loop's thread only; `source` is only
  // sent to while the inbox counts the sender; the rest are constants and
  // atomics.

  package let inbox = Inbox()
  let metrics = MetricsCells()
  let orphanedJobs: OrphanedJobs

  /// The thread the loop belongs to.
  let thread = threadIdentity()

  private let generation = ForkGuard.install()
  private let source: WakeSource

  // Not retained: the loop clears it before it goes. Unmanaged, for a hold of it
  // would be counted in each post. Loop only.
  @exclusivity(unchecked) private var loop: Unmanaged<EventLoop>?

  /// Whether the loop is closed, and its thread not its own any more. Loop only.
  @exclusivity(unchecked) private(set) var didLeaveThread = false

  // The task whose job runs, by its address, if it prefers the loop. Loop only.
  @exclusivity(unchecked) var runningTask: UInt = 0

  // How the host of an embedded loop is woken by a post: the address of a `HostWake`
  // that is retained here, or 0. Set on the loop's thread.
  private let hostWake = Atomic<UInt>(0)

  /// The clock of a stepped loop.
  let virtualTime: VirtualTime?

  init(source: WakeSource, time: VirtualTime?, orphanedJobs: OrphanedJobs) {
    self.source = source
    self.orphanedJobs = orphanedJobs
    virtualTime = time
  }

  deinit { inbox.free() }

  /// Whether this process is a child of the one that made the loop.
  @inline(__always)
  var isForked: Bool { ForkGuard.generation != generation }

  /// Whether the caller is on the loop's thread.
  @inline(__always)
  package var isOnThread: Bool { threadIdentity() == thread }

  /// Traps unless the caller is on the loop's thread.
  @inline(__always)
  package func checkThread(_ operation: StaticString) {
    if _fastPath(isOnThread) { return }
    trapOffThread(operation)
  }

  @inline(never)
  private func trapOffThread(_ operation: StaticString) -> Never {
    trap("\(operation): the loop belongs to another thread; use its port from this one")
  }

  /// Connects the core to its loop, or takes it off.
  func setLoop(_ loop: EventLoop?) { self.loop = loop.map(Unmanaged.passUnretained) }

  /// The loop is closed, and its thread runs nothing of it from now on.
  func loopDidLeaveThread() {
    didLeaveThread = true
    orphanedJobs.loopDidLeaveThread()
  }

  /// Hands `item` to the loop; false, and the item is still the caller's, if
  /// the loop is closed or its inbox full.
  ///
  /// Call from any thread.
  @inline(__always)
  package func append(_ item: PostedItem) -> Bool {
    if isOnThread { return appendOnThread(item) }
    switch isForked ? .refused : inbox.append(item) {
    case .queued: return true
    case .queuedAndWake:
      sendForPost()
      return true
    case .refused: return false
    }
  }

  /// Hands `item` to the loop from another thread, unless one of `mark` waits; then nil.
  func append(_ item: PostedItem, unless mark: borrowing InboxMark) -> Inbox.Outcome? {
    if isForked { return .refused }
    let outcome = inbox.append(item, unless: mark)
    if case .queuedAndWake = outcome { sendForPost() }
    return outcome
  }

  /// Has posts call `wake` instead of writing to the wake descriptor, from now on;
  /// nil: no more, and no thread is calling the previous one.
  ///
  /// Call on the loop. Returns the previous one: releasing its captures is user code,
  /// so the caller does that last.
  package func setHostWake(_ wake: HostWake?) -> HostWake? {
    let new = wake.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) } ?? 0
    // Releasing: who reads the address reads what it points to.
    let old = hostWake.exchange(new, ordering: .releasing)
    guard let old = UnsafeRawPointer(bitPattern: old) else { return nil }
    // The child of a thread that was about to send has nobody who would end that.
    if isForked { return nil }
    inbox.waitForSenders()
    return Unmanaged<HostWake>.fromOpaque(old).takeRetainedValue()
  }

  /// Makes the loop begin a tick, and take note of `flags` if there are any.
  ///
  /// Call from any thread, and from a signal handler.
  package func request(_ flags: UInt32) {
    guard !isForked, inbox.request(flags) else { return }
    send()
  }

  /// The loop, until it is closed. For what runs on the loop's thread only.
  var loopOnThread: EventLoop? { loop?.takeUnretainedValue() }

  /// Runs `body` with the loop. For what runs on the loop's thread only.
  func onLoop(_ body: (EventLoop) -> Void) {
    checkThread("LoopPort")
    if let loop { body(loop.takeUnretainedValue()) }
  }

  @inline(__always)
  private func appendOnThread(_ item: PostedItem) -> Bool {
    guard !isForked, let loop else { return false }
    return loop._withUnsafeGuaranteedRef { $0.appendLocally(item) }
  }

  /// Calls `commit` on the loop's own thread; false if the loop takes nothing.
  func commitOnThread(_ commit: (EventLoop) -> Void) -> Bool {
    guard !isForked, let loop = loop?.takeUnretainedValue(), loop.state != .closing else {
      return false
    }
    commit(loop)
    return true
  }

  // Not for requests: those come from signal handlers, too, where a host can not be
  // called.
  @inline(never)
  private func sendForPost() {
    // Acquiring: pairs with `setHostWake`, which waits for this sender.
    let address = UnsafeRawPointer(bitPattern: hostWake.load(ordering: .acquiring))
    guard let address else { return send() }
    let wake = Unmanaged<HostWake>.fromOpaque(address)
    guard wake._withUnsafeGuaranteedRef({ $0.body() }) else { return send() }
    metrics.wakesSent.addShared()
    inbox.didSend()
  }

  @inline(never)
  private func send() {
    source.send()
    metrics.wakesSent.addShared()
    inbox.didSend()
  }
}

/// How a post wakes the host of an embedded loop; whether it did.
package final class HostWake: Sendable {
  let body: @Sendable () -> Bool

  package init(_ body: @escaping @Sendable () -> Bool) { self.body = body }
}
