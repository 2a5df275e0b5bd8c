/// Between an observer on a loop and the task that takes its activities.
final class ActivityChannel: @unchecked Sendable {
  // @unchecked: `observer` is touched on the loop's thread only; `state` has its lock.

  typealias Continuation = UnsafeContinuation<EventLoop.Activity?, Never>

  fileprivate struct State {
    var waiting: [Continuation] = []
    var last: EventLoop.Activity?
    var isOver = false
    /// The last place that the task's own asking brings: nothing is told up to there.
    var quiet: UInt64 = 0
    /// The last tick whose `beforeWaiting` has been.
    var reached: UInt64 = 0
  }

  private let core: PortCore
  private let wanted: EventLoop.Activity
  private let state = Locked(State())
  var observer: Observer?  // loop only

  init(_ core: PortCore, _ wanted: EventLoop.Activity) {
    self.core = core
    self.wanted = wanted
  }

  /// Hands the next activity to `continuation`, now if there is one.
  func ask(_ continuation: Continuation) {
    let asking = core.isOnThread ? core.loopOnThread?.asking : nil
    let (isAnswered, answer) = state.withLock { state -> (Bool, EventLoop.Activity?) in
      if state.isOver { return (true, nil) }
      if let asking { state.begins(asking) }
      if let last = state.last.take() { return (true, last) }
      state.waiting.append(continuation)
      return (false, nil)
    }
    if isAnswered { continuation.resume(returning: answer) }
  }

  /// The loop is at `activity`, in the tick numbered `tick`.
  func tell(_ activity: EventLoop.Activity, tick: UInt64) {
    let continuation = state.withLock { state -> Continuation? in
      if activity == .beforeWaiting { state.reached = tick }
      guard wanted.contains(activity) else { return nil }
      if let place = activity.place(in: tick), place <= state.quiet { return nil }
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
      state.isOver = true
      state.last = nil
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }

  /// Nobody takes anything any more.
  func leave() {
    end()
    var item = PostedItem(removeObserver, self)
    if !core.append(item) { item.drop() }
  }

  /// What the observer keeps: it goes with it, when the loop is closed too.
  final class End {
    let channel: ActivityChannel

    init(_ channel: ActivityChannel) { self.channel = channel }

    deinit { channel.end() }
  }
}

/// How a task asks that is run by the loop itself.
private struct Asking {
  let tick: UInt64
  /// Whether a tick follows for no more than that the poll has ended.
  let isFollowed: Bool
  /// Whether the tick's poll blocks, and ends only when something comes.
  let blocks: Bool
}

extension ActivityChannel.State {
  /// The task asks. What its jobs have brought so far, and what the one that asks still
  /// brings, is none of its business: told of that, it would bring the next. L7.
  ///
  /// Which ticks its jobs brought is not known: it may have left the loop and come back
  /// any number of times. So it is every tick until it asks.
  fileprivate mutating func begins(_ asking: Asking) {
    if last?.place(in: 0) != nil { last = nil }
    // Run by a post, before this tick's `beforeWaiting`; or behind it, in the poll, as
    // a block of the main queue is: then the tick that follows is brought, too.
    let tick = reached == asking.tick && asking.isFollowed ? asking.tick + 1 : asking.tick
    let end: EventLoop.Activity = asking.blocks ? .beforeWaiting : .afterWaiting
    quiet = end.place(in: tick) ?? 0
  }
}

extension EventLoop.Activity {
  /// Where this comes among all of a loop's; nil for what a run begins or ends with,
  /// which nobody brings but who calls it.
  fileprivate func place(in tick: UInt64) -> UInt64? {
    switch self {
    case .beforeWaiting: 2 * tick
    case .afterWaiting: 2 * tick + 1
    default: nil
    }
  }
}

extension EventLoop {
  /// What is known of a task that asks now; nil between two turns: what ran it there
  /// was the host's, and brought no tick.
  fileprivate var asking: Asking? {
    if isBetweenTurns { return nil }
    let isByTurns = host != nil || virtualTime != nil
    return Asking(
      tick: core.metrics.ticks.value,
      isFollowed: !isByTurns || isArmed,
      blocks: !isByTurns
    )
  }
}

private func removeObserver(_ loop: UnsafeRawPointer, _ channel: UnsafeRawPointer) {
  let channel = Unmanaged<ActivityChannel>.fromOpaque(channel).takeUnretainedValue()
  channel.observer?.cancel()
  channel.observer = nil
}
