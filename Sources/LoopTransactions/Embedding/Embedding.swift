/// Runs a loop in turns, inside a host with an event loop of its own, such as a
/// toolkit or a game.
///
/// The host waits for its own events and for `pollDescriptor` to become
/// readable, for at most `nextTimeout`. Then it calls `turn()` and asks for the
/// timeout again. A turn is a tick that does not block. Posts from other
/// threads make the descriptor readable. Commits, posts and timers made on the
/// loop's own thread between two turns may shorten the timeout. A host that
/// asks for `nextTimeout` before each wait gets the shorter timeout. Other
/// hosts use `onChange`.
///
/// An embedding belongs to the loop's thread, which is the host's thread. While
/// a loop is embedded, it cannot be run in any other way. An idle embedded loop
/// never needs a turn.
///
/// ```swift
/// let embedding = Embedding(loop)
/// while isRunning {
///   wait(for: embedding.pollDescriptor, atMost: embedding.nextTimeout)
///   embedding.turn()
/// }
/// embedding.cancel()
/// ```
///
/// Modelled on libuv's `uv_backend_fd` and `uv_backend_timeout`. Those
/// functions report a loop that has nothing to wait for as due at once.
public final class Embedding {
  /// The descriptor that is readable when the loop has something to do. Poll it
  /// level-triggered, not edge-triggered.
  ///
  /// Read this property on the loop. The descriptor belongs to the loop's own
  /// poll. Any kind of poll can watch it, on any thread.
  public let pollDescriptor: Int32

  private let core: PortCore
  private var onChange: (() -> Void)?  // loop only
  private var onEnd: (() -> Void)?  // loop only
  private unowned(unsafe) var loop: EventLoop?  // loop only
  // Whether the host already knows that it must ask for the timeout again.
  private var isHostNotified = false  // loop only
  // Whether `onChange` is being called.
  private var isCallingOnChange = false  // loop only

  /// Starts embedding `loop` in a host.
  ///
  /// Call on the loop, while it is not running. The loop keeps the embedding
  /// until `cancel()`, or until the loop is closed.
  ///
  /// - Parameters:
  ///   - loop: The loop to embed.
  ///   - onChange: Called on the loop's thread, outside of turns, when the
  ///     timeout may have become shorter. It is called only once until the host
  ///     asks for `nextTimeout` or makes a turn. The commit, post or timer that
  ///     caused the call has not returned yet, so `turn()`, `cancel()` and
  ///     `EventLoop.close()` trap in `onChange`. Schedule a turn instead. The
  ///     default does nothing. That is correct only for a host that asks for
  ///     `nextTimeout` before each wait. Any other host would perform the
  ///     commit only after its earlier timeout.
  ///   - onEnd: Called once when the embedding has ended, by `cancel()` or
  ///     because the loop is closed. Called on the loop's thread, while the
  ///     loop's descriptor is still open. The embedding must not be used
  ///     afterwards. If the loop is released without `close()`, `onEnd` is
  ///     called on the thread that releases the loop.
  ///   - wake: Wakes the host, for hosts that have a cheaper way than watching
  ///     the descriptor. Called on the posting thread while the loop sleeps, at
  ///     most once until the next turn, instead of writing to the descriptor.
  ///     It must cause the host to make a turn or to ask for `nextTimeout`,
  ///     which is then zero. It must not wait for the loop's thread, and must
  ///     not use the loop or a port. If it returns false, the posting thread
  ///     writes to the descriptor. `wake()` and `stop()` of a port always write
  ///     to the descriptor, because signal handlers may call them.
  /// - Precondition: The loop is not embedded already.
  public convenience init(
    _ loop: EventLoop,
    onChange: @escaping () -> Void = {},
    onEnd: @escaping () -> Void = {},
    wake: (@Sendable () -> Bool)? = nil
  ) {
    self.init(
      loop,
      hostWake: wake.map { HostWake($0) },
      servesMainQueue: false,
      onChange: onChange,
      onEnd: onEnd
    )
  }

  /// Starts embedding `loop`, as the public initialiser does. Work that waits in the
  /// main queue is reported unless the host, or its executor, `servesMainQueue`.
  package init(
    _ loop: EventLoop,
    hostWake: HostWake?,
    servesMainQueue: Bool,
    onChange: @escaping () -> Void = {},
    onEnd: @escaping () -> Void = {}
  ) {
    loop.checkMayEmbed("Embedding.init")
    core = loop.core
    pollDescriptor = loop.uv.backendDescriptor
    self.onChange = onChange
    self.onEnd = onEnd
    self.loop = loop
    // Set first, because posts wake the host from now on.
    if let hostWake { _ = core.setHostWake(hostWake) }
    loop.beginEmbedding()
    if !servesMainQueue { loop.watchMainQueue() }
    loop.host = self
    loop.add(self)
  }

  /// How long the host may wait before the next turn. Nil means no limit.
  ///
  /// Call on the loop, either before each wait of the host or after each turn
  /// and `onChange`. Rounded up to a millisecond, the precision of libuv's
  /// timers.
  ///
  /// - Complexity: O(1).
  public var nextTimeout: Duration? {
    let loop = checked("Embedding.nextTimeout")
    // The host is asking, so `onChange` need not report changes found here.
    isHostNotified = true
    defer { isHostNotified = false }
    return loop.timeoutForHost
  }

  /// Makes one tick that does not block: handles ready events, and then calls
  /// observers and performs commits, within the budget.
  ///
  /// Call on the loop, but not from one of its callbacks or from `onChange`. The
  /// host's wait takes the place of the poll: a turn calls the `afterWaiting`
  /// observers after the callbacks of events, and ends with the `beforeWaiting`
  /// observers. It calls neither `entry` nor `exit` observers. The embedding
  /// continues after `stop()`, and also while the loop has nothing to wait for.
  ///
  /// If a turn leaves work, `nextTimeout` is zero afterwards. Make the next
  /// turn after the host has handled its ready events. Making turns in a row
  /// until nothing is left would starve the host.
  public func turn() {
    let loop = checked("Embedding.turn")
    checkNotInOnChange("Embedding.turn")
    // The host will ask for the timeout again after the turn.
    isHostNotified = true
    withExtendedLifetime((self, loop)) { loop.stepForHost() }
    isHostNotified = false
  }

  /// Ends the embedding. The loop can then be run in another way.
  ///
  /// Call on the loop, outside of turns and of `onChange`. Cancelling again
  /// does nothing. Closing the loop cancels its embedding.
  public func cancel() {
    core.checkThread("Embedding.cancel")
    guard let loop else { return }
    checkNotInOnChange("Embedding.cancel")
    loop.checkBetweenTurns()
    detach { loop.endEmbedding() }
  }

  /// Publishes for a watchdog that the host runs code of its own, called `name`
  /// in reports, until the next turn or `hostWillWait()`.
  ///
  /// Call on the loop, outside of turns.
  package func hostDidWake(_ name: StaticString) { loop?.publishHostsWork(name) }

  /// Publishes that the host waits.
  ///
  /// Call on the loop, outside of turns.
  package func hostWillWait() { loop?.publishHostsWork(nil) }

  private func checked(_ operation: StaticString) -> EventLoop {
    core.checkThread(operation)
    guard let loop else {
      trap("\(operation): the embedding was cancelled or the loop closed; make a new Embedding")
    }
    return loop
  }
}

extension Embedding: LoopPart {
  /// Notifies the host that a turn may be due earlier than it knows.
  ///
  /// This calls the host's code, so the caller must have completed its own
  /// change. I31.
  func loopChanged() {
    guard !isHostNotified, let loop, loop.isBetweenTurns else { return }
    isHostNotified = true
    let wasCallingOnChange = isCallingOnChange
    isCallingOnChange = true
    withExtendedLifetime(self) {
      loop.withoutClosing("Embedding.onChange") { onChange?() }
    }
    isCallingOnChange = wasCallingOnChange
  }

  /// Traps if the caller is inside `onChange`.
  private func checkNotInOnChange(_ operation: StaticString) {
    require(
      !isCallingOnChange,
      """
      \(operation): must not be called in Embedding.onChange; schedule the call, and return from \
      onChange first
      """
    )
  }

  package func loopDidClose() { detach() }

  /// Detaches from the loop. `undo` is called before `onEnd`.
  func detach(_ undo: () -> Void = {}) {
    guard let loop else { return }
    self.loop = nil
    loop.host = nil
    loop.remove(self)
    let wake = core.setHostWake(nil)
    undo()
    // Released last, because a `deinit` of the captures may use the embedding
    // and the loop.
    let (onChange, onEnd) = (onChange, onEnd)
    self.onChange = nil
    self.onEnd = nil
    withExtendedLifetime((wake, onChange)) { onEnd?() }
  }
}

// The functions that an embedding uses on its loop.
extension EventLoop {
  /// True if no code of the loop is running. The host may then be about to
  /// wait.
  var isBetweenTurns: Bool {
    switch state {
    case .idle: !isCalledBack
    case .running, .leaving, .closing, .closed: false
    }
  }

  /// Traps unless the loop may be embedded here and now.
  func checkMayEmbed(_ operation: StaticString) {
    checkUsable(operation)
    checkNotTornDown(operation)
    require(
      host == nil,
      "\(operation): the loop is already embedded; cancel() its Embedding or host first"
    )
    checkBetweenTurns()
  }

  /// Traps unless an embedding may begin or end.
  fileprivate func checkBetweenTurns() {
    if isBetweenTurns { return }
    trap("Embedding: must not be created or cancelled inside a callback of its loop")
  }

  /// Makes the loop wait for posts. Otherwise libuv would report a loop that
  /// has nothing to wait for as due, and would not poll.
  func beginEmbedding() {
    hold()
    settleForHost()
  }

  /// Reverts `beginEmbedding()`.
  func endEmbedding() {
    endHold()
    publishHostsWork(nil)
    mainQueueNotice?.probeIfFilled(inHost: true)
    if didAnnounceSleep { core.inbox.awake() }
    didAnnounceSleep = false
    // Posts may have called the host's own wake, and the host no longer checks
    // for such posts.
    if hasPendingWork || core.inbox.isFilled || core.inbox.hasRequest { arm() }
    // The owner of an adopted loop may now wait on libuv's descriptor.
    if !ownsLoop { settleForHost() }
  }

  /// How long the host may wait.
  var timeoutForHost: Duration? {
    if core.isForked { trapInChild() }
    checkNotTornDown("Embedding.nextTimeout")
    // Posts made before the loop announced that it sleeps send no wake.
    if core.inbox.isFilled || core.inbox.hasRequest { arm() }
    // A cancelled timer would make the descriptor readable.
    if deadlines.isStale { setDeadline() }
    if let virtualTime, !isArmed { return virtualTime.timeout }
    // libuv's clock does not advance between turns.
    uv.updateTime()
    let timeout = uv.backendTimeout
    return timeout < 0 ? nil : .milliseconds(Int64(timeout))
  }
}

extension VirtualTime {
  /// The time until the first timer is due, or nil if there is none.
  fileprivate var timeout: Duration? {
    nextDeadline.map { .nanoseconds(Int64(clamping: $0 > nanoseconds ? $0 - nanoseconds : 0)) }
  }
}
