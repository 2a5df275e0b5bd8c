/// A closure posted to a loop with a delay.
///
/// Created by `LoopPort.post(after:_:)`. The loop keeps it, so the caller need
/// not. Use it from any thread.
public final class DelayedPost: @unchecked Sendable {
  // @unchecked: `stage` has a lock. `timer` is accessed on the loop's thread
  // only. The rest is constant.

  /// The state of a delayed post.
  public enum State: Hashable, Sendable {
    /// The closure has not been called yet.
    case waiting
    /// The closure is being called or was called.
    case performed
    /// `cancel()` was called first.
    case cancelled
    /// The loop was closed first.
    case refused
  }

  private struct Stage {
    var state = State.waiting
    var body: (@Sendable () -> Void)?

    /// Ends the wait. Returns the closure, or nil if the wait is over.
    mutating func end(_ state: State) -> (@Sendable () -> Void)? {
      guard self.state == .waiting else { return nil }
      self.state = state
      return body.take()
    }
  }

  private let core: PortCore
  private let deadline: LoopClock.Instant
  let place: SourcePlace?
  private let stage: Locked<Stage>
  private var timer: LoopTimer?  // loop only

  fileprivate init(
    _ core: PortCore,
    at deadline: LoopClock.Instant,
    _ place: SourcePlace,
    _ body: consuming @escaping @Sendable () -> Void
  ) {
    self.core = core
    self.deadline = deadline
    self.place = place
    stage = Locked(Stage(body: body))
  }

  /// The state of the post.
  ///
  /// Call from any thread.
  public var state: State { stage.withLock { $0.state } }

  /// Cancels the post, and releases its closure on this thread.
  ///
  /// Call from any thread.
  ///
  /// - Returns: `true` if the closure will not be called. `false` if it was
  ///   called or cancelled before, or the loop was closed.
  /// - Complexity: O(1), and a post.
  @discardableResult
  public func cancel() -> Bool {
    guard stage.withLock({ $0.end(.cancelled) }) != nil else { return false }
    core.call(delayedPostWasCancelled, with: self)
    return true
  }

  /// Releases the closure without calling it, because the loop is closed.
  fileprivate func refuse() { _ = stage.withLock { $0.end(.refused) } }

  /// Starts the timer, or calls the closure if it is due. Loop only.
  fileprivate func startTimer(on loop: EventLoop) {
    guard state == .waiting else { return }
    guard loop.nanoseconds < deadline.nanoseconds else { return perform() }
    guard loop.takesCommits else { return refuse() }
    let callback = DelayedPostCallback(self)
    timer = loop.makeTimer(at: deadline, schedule: .once, place: nil) { _ in callback.timerFired() }
  }

  /// Posts the call, so that it counts against the tick's budget. Loop only.
  fileprivate func timerFired() {
    timer = nil
    if !core.call(delayedPostIsDue, with: self) { refuse() }
  }

  /// Calls the closure. Loop only.
  fileprivate func perform() { stage.withLock { $0.end(.performed) }?() }

  /// Cancels the timer. Loop only.
  fileprivate func stopTimer() { timer.take()?.cancel() }
}

extension DelayedPost: AwaitedCall {
  func wasRefused() { refuse() }
}

extension LoopPort {
  /// Posts `body` to the loop when `delay` has passed.
  ///
  /// Call from any thread. The delay counts from this call, has millisecond
  /// precision, and is never too short. `body` then runs as a post does, within
  /// the tick's budget. Posts that are due in the same millisecond run in any
  /// order. The loop's run waits for the post as for a timer. A delay of zero
  /// or less makes an ordinary post. Delayed posts do not count towards
  /// `EventLoop.postCapacity`.
  ///
  /// A loop that is closed before the post is due does not call `body`. The loop
  /// releases `body` on its own thread, and the state of the post becomes
  /// `.refused`. In a forked child, posts of the parent keep the state they had.
  ///
  /// Corresponds to `scheduleTask` in SwiftNIO and `asyncAfter` in Dispatch.
  ///
  /// - Parameters:
  ///   - delay: The time from this call.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called once, on the loop, and released there.
  /// - Returns: A handle to cancel the post.
  /// - Throws: `PostError` if the loop is closed. `body` is then released on
  ///   the calling thread.
  /// - Complexity: O(log n) in the loop's timers, and a post.
  @discardableResult
  public func post(
    after delay: Duration,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: consuming @escaping @Sendable () -> Void
  ) throws(PostError) -> DelayedPost {
    let now = TimeSource(core.virtualTime).nanoseconds
    let deadline = LoopClock.Instant(nanoseconds: now).advanced(by: max(delay, .zero))
    let post = DelayedPost(core, at: deadline, SourcePlace(fileID, line), body)
    guard core.call(delayedPostArrived, with: post) else { throw refusal }
    return post
  }
}

/// Retained by the timer of a delayed post, and released with it. If the loop
/// is closed first, its release refuses the post.
private final class DelayedPostCallback {
  private let post: DelayedPost
  private var hasFired = false  // loop only

  init(_ post: DelayedPost) { self.post = post }

  // Does nothing if the post was cancelled.
  deinit { if !hasFired { post.refuse() } }

  func timerFired() {
    hasFired = true
    post.timerFired()
  }
}

private func delayedPostArrived(_ loop: UnsafeRawPointer, _ post: UnsafeRawPointer) {
  let loop = loop.object(as: EventLoop.self)
  post.object(as: DelayedPost.self).startTimer(on: loop)
}

private func delayedPostIsDue(_ loop: UnsafeRawPointer, _ post: UnsafeRawPointer) {
  post.object(as: DelayedPost.self).perform()
}

private func delayedPostWasCancelled(_ loop: UnsafeRawPointer, _ post: UnsafeRawPointer) {
  post.object(as: DelayedPost.self).stopTimer()
}
