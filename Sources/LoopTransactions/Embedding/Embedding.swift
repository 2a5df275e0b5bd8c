/// Runs a loop by turns within a host that has a loop of its own: a toolkit, a game,
/// another poll.
///
/// The host waits for `pollDescriptor` to be readable, for as long as `nextTimeout`
/// says at most, together with what it waits for itself; then it calls `turn()`, and
/// asks for the timeout anew. A turn is a tick that does not block. What other threads
/// post makes the descriptor readable. What is committed, posted or timed on the
/// loop's own thread between two turns may make the time to wait shorter; a host that
/// asks for `nextTimeout` each time before it waits sees that, and another one is told
/// by `onChange`.
///
/// Belongs to the loop's thread, which is the host's. While a loop is embedded it is
/// not run in any other way, and it keeps itself ready for posts: idle, it is never
/// due.
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
/// After libuv's `uv_backend_fd` and `uv_backend_timeout`, which say of a loop with
/// nothing to wait for that it is due at once, for ever.
public final class Embedding {
  /// The descriptor that is readable when the loop has something to do. Watch its
  /// level, not its edges.
  ///
  /// Read it on the loop. It is another loop's poll, which can be waited for in a poll
  /// of any kind, and on another thread.
  public let pollDescriptor: Int32

  private let core: PortCore
  private var onChange: (() -> Void)?  // loop only
  private var onEnd: (() -> Void)?  // loop only
  private unowned(unsafe) var loop: EventLoop?  // loop only
  // Whether the host knows that it has to look again.
  private var isHostNotified = false  // loop only
  // Whether `onChange` is under way.
  private var isCallingOnChange = false  // loop only

  /// Lets a host run `loop` by turns, from now on.
  ///
  /// Call on the loop, while it is not running. The loop keeps this until `cancel()` or
  /// until it is closed.
  ///
  /// - Parameter onChange: Called on the loop's thread, outside of turns, when the
  ///   time to wait may have become shorter; once until the host asks for
  ///   `nextTimeout` or makes a turn. The commit, post or timer that caused it has
  ///   not returned yet, so `turn()`, `cancel()` and `EventLoop.close()` trap inside:
  ///   schedule the turn, and make it later. The default does nothing, which is
  ///   right only for a host that asks for `nextTimeout` each time before it waits:
  ///   any other host performs the commit when its earlier timeout is over.
  /// - Parameter onEnd: Called once, on the loop's thread, when the embedding has
  ///   ended: by `cancel()`, or by the closing of the loop, whose descriptor is open
  ///   still. From then on nothing may be asked of this. If the loop is released
  ///   without `close()`, it is called on the thread that releases it.
  /// - Parameter wake: How the host is woken, if it has a way of its own that costs
  ///   less than its watching the descriptor: called by the thread that posts while
  ///   the loop sleeps, once until the next turn, instead of a write to the
  ///   descriptor. It must have the host make a turn, or ask for `nextTimeout`, which
  ///   is zero; it must not wait for the loop's thread, nor use the loop or a port.
  ///   Returning false it has the descriptor written to. `wake()` and `stop()`, which
  ///   signal handlers call, always are.
  /// - Precondition: The loop is not embedded already.
  public init(
    _ loop: EventLoop,
    onChange: @escaping () -> Void = {},
    onEnd: @escaping () -> Void = {},
    wake: (@Sendable () -> Bool)? = nil
  ) {
    loop.checkUsable("Embedding.init")
    loop.checkNotTornDown("Embedding.init")
    require(loop.host == nil, "Embedding.init: the loop is embedded already; cancel() that first")
    loop.checkMayEmbed()
    core = loop.core
    pollDescriptor = loop.uv.backendDescriptor
    self.onChange = onChange
    self.onEnd = onEnd
    self.loop = loop
    // First: from then on posts wake somebody.
    if let wake { _ = core.setHostWake(HostWake(wake)) }
    loop.beginEmbedding()
    loop.host = self
    loop.add(self)
  }

  /// How long the host may wait before the next turn; nil without end.
  ///
  /// Call on the loop, before each time the host waits, or after each turn and
  /// `onChange`. Rounded up to the millisecond, as libuv keeps its timers.
  ///
  /// - Complexity: O(1).
  public var nextTimeout: Duration? {
    let loop = checked("Embedding.nextTimeout")
    // The host is asking, so nothing found on the way is news to it.
    isHostNotified = true
    defer { isHostNotified = false }
    return loop.timeoutForHost
  }

  /// Makes one tick that does not block: serves what is ready, performs what was
  /// committed, within the budget.
  ///
  /// Call on the loop, and not from one of its callbacks or from `onChange`. Tells
  /// neither `entry` nor `exit`, and ends neither if nothing is left nor by `stop()`.
  ///
  /// A turn that leaves work makes `nextTimeout` zero. Make the next turn behind the
  /// events that the host has ready: turns made one after the other until nothing is
  /// left starve the host.
  public func turn() {
    let loop = checked("Embedding.turn")
    checkNotInOnChange("Embedding.turn")
    // The host asks again after the turn.
    isHostNotified = true
    withExtendedLifetime((self, loop)) { loop.turnForHost() }
    isHostNotified = false
  }

  /// Ends the embedding; the loop can be run again.
  ///
  /// Call on the loop, outside of a turn and of `onChange`. Cancelling again does nothing;
  /// closing the loop does it.
  public func cancel() {
    core.checkThread("Embedding.cancel")
    guard let loop else { return }
    checkNotInOnChange("Embedding.cancel")
    loop.checkMayEmbed()
    detach { loop.endEmbedding() }
  }

  private func checked(_ operation: StaticString) -> EventLoop {
    core.checkThread(operation)
    guard let loop else { trap("\(operation): the embedding was ended, or the loop closed") }
    return loop
  }
}

extension Embedding: LoopHost {
  /// Something that the host does not know of may be due earlier than it was told.
  ///
  /// Calls the host: whoever calls this has finished its own change. I31.
  func loopChanged() {
    guard !isHostNotified, let loop, loop.isBetweenTurns else { return }
    isHostNotified = true
    let isWithin = isCallingOnChange
    isCallingOnChange = true
    withExtendedLifetime(self) {
      loop.withoutClosing("Embedding.onChange") { onChange?() }
    }
    isCallingOnChange = isWithin
  }

  /// Traps inside `onChange`.
  private func checkNotInOnChange(_ operation: StaticString) {
    require(
      !isCallingOnChange,
      """
      \(operation): must not be called in Embedding.onChange, whose cause has not returned; let \
      it return, and make the call later
      """
    )
  }

  func loopDidClose() { detach() }

  /// Leaves the loop; `undo` is called before the host is told.
  func detach(_ undo: () -> Void = {}) {
    guard let loop else { return }
    self.loop = nil
    loop.host = nil
    loop.remove(self)
    let wake = core.setHostWake(nil)
    undo()
    // Released last: what goes with them may ask this, and use the loop.
    let (onChange, onEnd) = (onChange, onEnd)
    self.onChange = nil
    self.onEnd = nil
    withExtendedLifetime((wake, onChange)) { onEnd?() }
  }
}
