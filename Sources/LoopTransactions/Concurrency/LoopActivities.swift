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
