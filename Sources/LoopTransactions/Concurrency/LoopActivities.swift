/// The activities of a loop, one after the other, for one task.
///
/// Made by `EventLoop.activities`, which says what a task on the loop itself is told of.
/// What comes while the task is busy is not kept, but for the last. The task learns of
/// an activity after it, when its executor gets to it: what has to happen at the
/// activity itself is an observer's.
///
/// For one `for await`, in any task: what several take is shared out among them. It ends
/// when the loop is closed or the task cancelled.
public struct LoopActivities: AsyncSequence, Sendable {
  private let subscription: Subscription

  init(_ subscription: Subscription) { self.subscription = subscription }

  /// The activities from here on.
  ///
  /// Call from any task.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// What hands out one activity after the other, in the order of the ticks. It belongs
  /// to the task that iterates.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// The next activity; nil when the loop is closed or the task was cancelled.
    ///
    /// Call from one task.
    public mutating func next() async -> EventLoop.Activity? {
      await next(isolation: nil)
    }

    /// As above, without leaving the caller's actor before it has to wait.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> EventLoop.Activity? {
      let channel = subscription.channel
      return await withTaskCancellationHandler {
        // Captured: a closure that does not name the actor leaves it.
        _ = actor
        return await withUnsafeContinuation { channel.request($0) }
      } onCancel: {
        channel.end()
      }
    }
  }

  /// What sequence and iterators share; with the last of them the observer goes.
  final class Subscription: Sendable {
    let channel: ActivityChannel

    init(_ channel: ActivityChannel) { self.channel = channel }

    deinit { channel.cancel() }
  }
}

extension EventLoop {
  /// The loop's `activities` as an asynchronous sequence, from now on.
  ///
  /// Call on the loop. A task that asks on the loop's thread, run as a job of the loop
  /// or by a `MainQueueBridge`, is told only of a `beforeWaiting` or `afterWaiting` that
  /// neither came before it asked nor comes for no more than that it was run, however
  /// often its body left the loop and came back. Otherwise each telling would bring the
  /// tick that brings the next, and the loop never sleep. What came while its body was
  /// away is not made up for.
  ///
  /// A task that asks on another thread is told of every tick, with the last that it
  /// missed: one whose body has the loop do something each time, by a post or by a call
  /// of an actor that is pinned to it, brings the tick that it is told of next.
  ///
  /// ```swift
  /// for await _ in loop.activities(.beforeWaiting) { frames += 1 }
  /// ```
  ///
  /// - Parameter order: The observer's place among others.
  /// - Complexity: As of an observer; a telling takes a lock.
  public func activities(_ activities: Activity, order: Int = 0) -> LoopActivities {
    checkUsable("EventLoop.activities")
    let channel = ActivityChannel(core, activities)
    let lifetime = ActivityChannel.Lifetime(channel)
    // Told of `beforeWaiting` in any case, it knows how far the tick has got.
    let observed = activities.union(.beforeWaiting)
    channel.observer = addObserver(for: observed, order: order) { [core] activity in
      lifetime.channel.deliver(activity, tick: core.metrics.ticks.value)
    }
    return LoopActivities(LoopActivities.Subscription(channel))
  }
}
