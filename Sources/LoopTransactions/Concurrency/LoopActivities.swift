/// The activities of a loop, as an asynchronous sequence for one task.
///
/// Created by `EventLoop.activities(_:order:)`, which documents the activities
/// that a task on the loop itself receives. While the task is busy, only the
/// latest activity is kept. The task learns of an activity after the fact, when
/// its executor runs it. Use an observer for work that must happen at the
/// activity itself.
///
/// Use it in one `for await` loop, in any task: several iterators share the
/// activities among themselves. The sequence ends when the loop is closed or
/// the task is cancelled.
public struct LoopActivities: AsyncSequence, Sendable {
  private let subscription: Subscription

  init(_ subscription: Subscription) { self.subscription = subscription }

  /// Returns an iterator over the activities from now on.
  ///
  /// Call from any task.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// An iterator over the activities, in the order of the ticks. It belongs to
  /// the task that iterates.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Waits for the next activity. Returns nil if the loop is closed or the
    /// task was cancelled.
    ///
    /// Call from one task.
    public mutating func next() async -> EventLoop.Activity? {
      await next(isolation: nil)
    }

    /// Waits for the next activity, and stays on the caller's actor until it
    /// has to wait.
    ///
    /// Call from one task.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> EventLoop.Activity? {
      let channel = subscription.channel
      return await withTaskCancellationHandler {
        // Captured, because a closure that does not name the actor would leave
        // it.
        _ = actor
        return await withUnsafeContinuation { channel.request($0) }
      } onCancel: {
        channel.end()
      }
    }
  }

  /// Shared by the sequence and its iterators. The observer is removed when the
  /// last of them is released.
  final class Subscription: Sendable {
    let channel: ActivityChannel

    init(_ channel: ActivityChannel) { self.channel = channel }

    deinit { channel.cancel() }
  }
}

extension EventLoop {
  /// Returns the given activities of the loop, from now on, as an asynchronous
  /// sequence.
  ///
  /// Call on the loop. A task may request the next activity on the loop's
  /// thread, as a job of the loop or through a `MainQueueBridge`. Such a task
  /// does not receive a `beforeWaiting` or `afterWaiting` that came before the
  /// request, or that occurs only because the task itself ran. Otherwise each
  /// delivery would cause the tick that delivers the next activity, and the
  /// loop would never block. This also holds if the task left the loop and came
  /// back. Activities that occurred in between are skipped.
  ///
  /// A task that requests the next activity on another thread receives every
  /// tick. If it missed some, it receives the latest. If it makes the loop do
  /// something each time, by a post or by calling an actor pinned to the loop,
  /// it causes the tick that it receives next.
  ///
  /// ```swift
  /// for await _ in loop.activities(.beforeWaiting) { frames += 1 }
  /// ```
  ///
  /// - Parameters:
  ///   - activities: The activities to deliver.
  ///   - order: The order of the underlying observer.
  /// - Complexity: Like an observer. Each delivery takes a lock.
  public func activities(_ activities: Activity, order: Int = 0) -> LoopActivities {
    checkUsable("EventLoop.activities")
    let channel = ActivityChannel(core, activities)
    let lifetime = ActivityChannel.Lifetime(channel)
    // `beforeWaiting` is always observed, because it tells the channel how far
    // the tick has come.
    let observed = activities.union(.beforeWaiting)
    channel.observer = addObserver(for: observed, order: order, place: nil) {
      [core] activity in
      lifetime.channel.deliver(activity, tick: core.metrics.ticks.value)
    }
    return LoopActivities(LoopActivities.Subscription(channel))
  }
}

/// Delivers activities from an observer on a loop to the task that iterates
/// over them.
final class ActivityChannel: @unchecked Sendable {
  // @unchecked: `observer` is accessed on the loop's thread only. `state` has a
  // lock.

  typealias Continuation = UnsafeContinuation<EventLoop.Activity?, Never>

  fileprivate struct State {
    var waiting: [Continuation] = []
    var last: EventLoop.Activity?
    var isFinished = false
    /// The last position that the task's own request causes. Activities up to
    /// it are not delivered.
    var skippedThrough: UInt64 = 0
    /// The last tick that has reached `beforeWaiting`.
    var lastTick: UInt64 = 0
  }

  private let core: PortCore
  private let wanted: EventLoop.Activity
  private let state = Locked(State())
  var observer: Observer?  // loop only

  init(_ core: PortCore, _ wanted: EventLoop.Activity) {
    self.core = core
    self.wanted = wanted
  }

  /// Resumes `continuation` with the kept activity, or otherwise with the next
  /// activity.
  func request(_ continuation: Continuation) {
    let request = core.isOnThread ? core.loopOnThread?.taskRequest : nil
    let (isAnswered, answer) = state.withLock { state -> (Bool, EventLoop.Activity?) in
      if state.isFinished { return (true, nil) }
      if let request { state.beginRequest(request) }
      if let last = state.last.take() { return (true, last) }
      state.waiting.append(continuation)
      return (false, nil)
    }
    if isAnswered { continuation.resume(returning: answer) }
  }

  /// Delivers `activity` of the given tick, or keeps it if no task is waiting.
  func deliver(_ activity: EventLoop.Activity, tick: UInt64) {
    let continuation = state.withLock { state -> Continuation? in
      if activity == .beforeWaiting { state.lastTick = tick }
      guard wanted.contains(activity) else { return nil }
      if let position = activity.position(in: tick), position <= state.skippedThrough { return nil }
      guard !state.waiting.isEmpty else {
        state.last = activity
        return nil
      }
      return state.waiting.removeFirst()
    }
    continuation?.resume(returning: activity)
  }

  /// Ends the sequence.
  func end() {
    let waiting = state.withLock { state in
      state.isFinished = true
      state.last = nil
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }

  /// Ends the sequence and removes the observer.
  func cancel() {
    end()
    core.call(removeObserver, with: self)
  }

  /// Retained by the observer's closure, so that the sequence ends when the
  /// observer is removed. Closing the loop removes it as well.
  final class Lifetime {
    let channel: ActivityChannel

    init(_ channel: ActivityChannel) { self.channel = channel }

    deinit { channel.end() }
  }
}

/// The circumstances of a request by a task that the loop itself runs.
private struct TaskRequest {
  let tick: UInt64
  /// Whether another tick follows solely because the poll returned.
  let isFollowed: Bool
  /// Whether the tick's poll blocks until an event arrives.
  let blocks: Bool
}

extension ActivityChannel.State {
  /// Skips the activities that the task itself causes, in the ticks that its
  /// jobs have caused so far and in the tick that the requesting job still
  /// causes. Delivering such an activity would cause another one, without end.
  /// L7.
  ///
  /// The task may have left the loop and come back any number of times, so the
  /// channel cannot tell which ticks the task's jobs caused. It skips all ticks
  /// until the request.
  fileprivate mutating func beginRequest(_ request: TaskRequest) {
    if last?.position(in: 0) != nil { last = nil }
    // A post runs the job before this tick's `beforeWaiting`. A block of the
    // main queue runs the job later, in the poll, and also causes the next
    // tick.
    let tick = lastTick == request.tick && request.isFollowed ? request.tick + 1 : request.tick
    let end: EventLoop.Activity = request.blocks ? .beforeWaiting : .afterWaiting
    skippedThrough = end.position(in: tick) ?? 0
  }
}

extension EventLoop.Activity {
  /// The position among all activities of a loop. Nil for `entry` and `exit`,
  /// which only a call of `run` causes.
  fileprivate func position(in tick: UInt64) -> UInt64? {
    switch self {
    case .beforeWaiting: 2 * tick
    case .afterWaiting: 2 * tick + 1
    default: nil
    }
  }
}

extension EventLoop {
  /// The circumstances of a request made now. Nil between two turns, because a
  /// task that the host runs causes no tick.
  fileprivate var taskRequest: TaskRequest? {
    if isBetweenTurns { return nil }
    // A host waits after `beforeWaiting`, as the poll of a run does.
    let isStepped = virtualTime != nil && host == nil
    return TaskRequest(
      tick: core.metrics.ticks.value,
      isFollowed: !isStepped || isArmed,
      blocks: !isStepped
    )
  }
}

private func removeObserver(_ loop: UnsafeRawPointer, _ channel: UnsafeRawPointer) {
  let channel = channel.object(as: ActivityChannel.self)
  channel.observer?.cancel()
  channel.observer = nil
}
