/// Between an observer on a loop and the task that takes its activities.
final class ActivityChannel: @unchecked Sendable {
  // @unchecked: `observer` is touched on the loop's thread only; `state` has its lock.

  typealias Continuation = UnsafeContinuation<EventLoop.Activity?, Never>

  fileprivate struct State {
    var waiting: [Continuation] = []
    var last: EventLoop.Activity?
    var isFinished = false
    /// The last place that the task's own asking brings: nothing is told up to there.
    var skippedThrough: UInt64 = 0
    /// The last tick whose `beforeWaiting` has been.
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

  /// Hands the next activity to `continuation`, now if there is one.
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

  /// The loop is at `activity`, in the tick numbered `tick`.
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

  /// Nobody takes anything any more.
  func cancel() {
    end()
    var item = PostedItem(removeObserver, self)
    if !core.append(item) { item.drop() }
  }

  /// What the observer keeps: it goes with it, when the loop is closed too.
  final class Lifetime {
    let channel: ActivityChannel

    init(_ channel: ActivityChannel) { self.channel = channel }

    deinit { channel.end() }
  }
}

/// How a task asks that is run by the loop itself.
private struct TaskRequest {
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
  fileprivate mutating func beginRequest(_ request: TaskRequest) {
    if last?.position(in: 0) != nil { last = nil }
    // Run by a post, before this tick's `beforeWaiting`; or behind it, in the poll, as
    // a block of the main queue is: then the tick that follows is brought, too.
    let tick = lastTick == request.tick && request.isFollowed ? request.tick + 1 : request.tick
    let end: EventLoop.Activity = request.blocks ? .beforeWaiting : .afterWaiting
    skippedThrough = end.position(in: tick) ?? 0
  }
}

extension EventLoop.Activity {
  /// Where this comes among all of a loop's; nil for what a run begins or ends with,
  /// which nobody brings but who calls it.
  fileprivate func position(in tick: UInt64) -> UInt64? {
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
  fileprivate var taskRequest: TaskRequest? {
    if isBetweenTurns { return nil }
    let isByTurns = host != nil || virtualTime != nil
    return TaskRequest(
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
