/// The side of an event loop that other threads may use.
///
/// Holding a port does not make the loop's `run()` wait: `EventLoop.waitsForPosts`
/// does, while anyone holds the port.
///
/// What is posted runs on the loop's thread, once, in the order it was posted
/// by its thread, when the loop comes round: never inside the call, not even on
/// the loop's own thread. A sleeping loop is woken by one kernel write, however
/// much is posted before it is up.
///
/// ```swift
/// let port = loop.port
/// loop.waitsForPosts = true
/// startThread {
///   try? port.post { print("on the loop") }
///   port.stop()
/// }
/// loop.run()
/// ```
public final class LoopPort: Sendable {
  package let core: PortCore

  init(core: PortCore) { self.core = core }

  deinit {
    // A loop that is closed does not wait for ports any more.
    var item = PostedItem(portWasReleased, core)
    if !core.append(item) { item.drop() }
  }

  /// Why a loop takes nothing.
  public enum PostError: Error, Hashable, Sendable {
    /// The loop is closed, or is about to be.
    case closed
    /// As many posts and commits wait as `EventLoop.postCapacity` allows. Later ones may
    /// be taken.
    case full
    /// The loop belongs to the process that this one was forked from: make a
    /// loop of its own in the child.
    case forked
  }

  /// Hands `body` to the loop.
  ///
  /// Call from any thread. Allocates nothing beyond what the closure captures.
  /// The closure is released on the loop.
  ///
  /// - Throws: `PostError` if the loop is closed or its inbox full; `body` is then
  ///   released here.
  /// - Complexity: O(1).
  public func post(_ body: consuming @escaping @Sendable () -> Void) throws(PostError) {
    var item = PostedItem(body)
    if _fastPath(core.append(item)) { return }
    item.drop()
    throw refusal
  }

  /// Hands a call of `function` with `context` to the loop.
  ///
  /// Call from any thread. Allocates nothing.
  ///
  /// - Parameters:
  ///   - function: Called on the loop, once.
  ///   - context: Given to `function`, which owns what it refers to. A loop that is
  ///     released without `close()` does not call `function`, and `context` leaks.
  /// - Throws: `PostError` if the loop is closed or its inbox full; `context` is then
  ///   still the caller's.
  /// - Complexity: O(1).
  public func post(
    _ function: PostedFunction,
    context: UnsafeMutableRawPointer?
  ) throws(PostError) {
    if _fastPath(core.append(PostedItem(function, context))) { return }
    throw refusal
  }

  /// Makes a blocked loop begin a tick.
  ///
  /// Call from any thread, and from a signal handler. Does nothing to a loop
  /// that is awake but let it come round once more.
  ///
  /// - Complexity: O(1): one kernel write where the loop sleeps.
  public func wake() { core.request(Inbox.wakeWanted) }

  /// Makes the loop's run return after the tick under way, or at once if the
  /// loop is not running.
  ///
  /// Call from any thread, and from a signal handler.
  ///
  /// - Complexity: O(1): one kernel write where the loop sleeps.
  public func stop() { core.request(Inbox.stopWanted) }

  /// What the loop has done so far.
  ///
  /// Call from any thread.
  public var metrics: LoopMetrics { core.metrics.snapshot }

  /// Why the loop took nothing just now.
  @inline(never)
  var refusal: PostError {
    if core.isForked { return .forked }
    // A loop that closed meanwhile takes nothing later, either.
    return core.inbox.isClosed ? .closed : .full
  }
}

private func portWasReleased(_ loop: UnsafeRawPointer, _ core: UnsafeRawPointer) {
  Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue().portWasReleased()
}
