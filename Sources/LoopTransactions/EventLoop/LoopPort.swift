/// The `Sendable` interface of an event loop, for other threads.
///
/// A posted closure runs once, later, on the loop's thread. Closures of one
/// thread run in the order posted. A closure never runs inside `post`, even on
/// the loop's own thread. A burst of posts wakes a sleeping loop with one kernel
/// write.
///
/// Holding a port does not make the loop's `run()` wait, unless
/// `EventLoop.waitsForPosts` is true.
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
///
/// `post` corresponds to `EventLoop.execute` in SwiftNIO, `DispatchQueue.async`
/// in Dispatch, and `uv_async_send` in libuv. `postAndWait` corresponds to
/// `DispatchQueue.sync`.
public final class LoopPort: Sendable {
  package let core: PortCore

  init(core: PortCore) { self.core = core }

  deinit {
    // A closed loop no longer waits for ports.
    var item = PostedItem(portWasReleased, core)
    if !core.append(item) { item.drop() }
  }

  /// The reason why a loop refused a post or commit.
  public enum PostError: Error, Hashable, Sendable {
    /// The loop is closed or closing.
    case closed
    /// `EventLoop.postCapacity` is reached. A later post may be accepted.
    case full
    /// The loop belongs to the parent process. Create a loop in the child
    /// instead.
    case forked
  }

  /// Posts `body` to the loop.
  ///
  /// Call from any thread. Allocates nothing beyond the closure's captures. The
  /// closure is released on the loop.
  ///
  /// - Parameters:
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called once, on the loop.
  /// - Throws: `PostError` if the loop is closed or its inbox is full. `body`
  ///   is then released on the calling thread.
  /// - Complexity: O(1).
  @inlinable
  @inline(__always)
  public func post(
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: consuming @escaping @Sendable () -> Void
  ) throws(PostError) {
    // Inlined, so that the compiler computes the place.
    try post(consume body, at: SourcePlace(fileID, line))
  }

  @usableFromInline
  func post(
    _ body: consuming @escaping @Sendable () -> Void,
    at place: SourcePlace
  ) throws(PostError) {
    var item = PostedItem(consume body, at: place)
    if _fastPath(core.append(item)) { return }
    item.drop()
    throw refusal
  }

  /// Posts a call of `function` with `context` to the loop.
  ///
  /// Call from any thread. Does not allocate.
  ///
  /// - Parameters:
  ///   - function: Called once, on the loop.
  ///   - context: Passed to `function`, which takes ownership of it. A loop
  ///     that is released without `close()` does not call `function`, and
  ///     `context` leaks.
  /// - Throws: `PostError` if the loop is closed or its inbox is full.
  ///   `context` then still belongs to the caller.
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
  /// Call from any thread or from a signal handler. A loop that is awake makes
  /// one more tick.
  ///
  /// - Complexity: O(1). One kernel write if the loop sleeps.
  public func wake() { core.request(Inbox.wakeWanted) }

  /// Makes the loop's run return after the current tick. If the loop is not
  /// running, the next run returns at once.
  ///
  /// Call from any thread or from a signal handler.
  ///
  /// - Complexity: O(1). One kernel write if the loop sleeps.
  public func stop() { core.request(Inbox.stopWanted) }

  /// Counters of the loop's work so far.
  ///
  /// Call from any thread.
  public var metrics: LoopMetrics { core.metrics.snapshot }

  /// The latencies of the loop's ticks. Nil if `EventLoop.recordsLatencies` was
  /// never true.
  ///
  /// Call from any thread, also after the loop is closed. The loop goes on
  /// recording meanwhile: the latencies of the current tick may be in some of
  /// the figures and not in others.
  ///
  /// - Complexity: O(b) in the 7,104 buckets.
  public var latencies: LoopLatencies? { core.recordedLatencies?.snapshot }

  /// The reason why the loop has just refused an item.
  @inline(never)
  var refusal: PostError {
    if core.isForked { return .forked }
    // If the loop has been closed since the refusal, later posts will be
    // refused too, so the reason is not `full`.
    return core.inbox.isClosed ? .closed : .full
  }
}

private func portWasReleased(_ loop: UnsafeRawPointer, _ core: UnsafeRawPointer) {
  Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue().portWasReleased()
}
