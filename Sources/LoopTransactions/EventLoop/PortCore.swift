import Synchronization

/// What a loop shares with other threads: its inbox and the means to wake it.
final class PortCore: @unchecked Sendable {
  // @unchecked: `loop` is touched on the loop's thread only; `source` is only
  // sent to while the inbox counts the sender; the rest are constants and
  // atomics.

  let inbox = Inbox()
  let metrics = MetricsCells()

  /// The thread the loop belongs to.
  let thread = threadIdentity()

  private let generation = ForkGuard.install()
  private let source: WakeSource

  // Not retained: the loop clears it before it goes. Unmanaged, for a hold of it
  // would be counted in each post. Loop only.
  @exclusivity(unchecked) private var loop: Unmanaged<EventLoop>?

  init(source: WakeSource) { self.source = source }

  deinit { inbox.free() }

  /// Whether this process is a child of the one that made the loop.
  @inline(__always)
  var isForked: Bool { ForkGuard.generation != generation }

  /// Whether the caller is on the loop's thread.
  @inline(__always)
  var isOnThread: Bool { threadIdentity() == thread }

  /// Traps unless the caller is on the loop's thread.
  @inline(__always)
  func checkThread(_ operation: StaticString) {
    if _fastPath(isOnThread) { return }
    trapOffThread(operation)
  }

  @inline(never)
  private func trapOffThread(_ operation: StaticString) -> Never {
    trap("\(operation): the loop belongs to another thread; use its port from this one")
  }

  /// Connects the core to its loop, or takes it off.
  func setLoop(_ loop: EventLoop?) { self.loop = loop.map(Unmanaged.passUnretained) }

  /// Hands `item` to the loop; false, and the item is still the caller's, if
  /// the loop is closed.
  ///
  /// Call from any thread.
  @inline(__always)
  func append(_ item: PostedItem) -> Bool {
    if isOnThread { return appendOnThread(item) }
    switch isForked ? .closed : inbox.append(item) {
    case .queued: return true
    case .queuedAndWake:
      send()
      return true
    case .closed: return false
    }
  }

  /// Makes the loop begin a tick, and take note of `flags` if there are any.
  ///
  /// Call from any thread, and from a signal handler.
  func request(_ flags: UInt32) {
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

  /// Commits on the loop's own thread; false if the loop takes nothing.
  func commitOnThread(_ target: AnyObject, _ selector: UInt, _ number: UInt32) -> Bool {
    commitOnThread { loop in
      let key = UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
      loop.commit(key, selector, number)
    }
  }

  /// Calls `commit` on the loop's own thread; false if the loop takes nothing.
  func commitOnThread(_ commit: (EventLoop) -> Void) -> Bool {
    guard !isForked, let loop = loop?.takeUnretainedValue(), loop.state != .closing else {
      return false
    }
    commit(loop)
    return true
  }

  @inline(never)
  private func send() {
    source.send()
    metrics.wakesSent.addShared()
    inbox.didSend()
  }
}
