/// A queue as its loop knows it: the elements, the handler, the observer.
final class QueueCore: @unchecked Sendable {
  // @unchecked: `state` has its lock; everything marked loop only is touched on
  // the loop's thread, behind checks or from the loop's own calls.

  typealias Handler = (AnyObject, _ isDrained: Bool) -> Void

  let state: Locked<QueueState>
  let port: PortCore
  private let batchSize: Int
  let order: Int

  private unowned(unsafe) var loop: EventLoop?  // loop only
  private var observer: Observer?  // loop only
  private var handler: Handler?  // loop only
  private var onDrain: (() -> Void)?  // loop only
  private var isAbandoned = false  // loop only

  init(
    loop: EventLoop,
    state: QueueState,
    batchSize: BatchSize,
    order: Int,
    handler: Handler?,
    onDrain: (() -> Void)?
  ) {
    self.state = Locked(state)
    self.loop = loop
    self.handler = handler
    self.onDrain = onDrain
    self.batchSize = batchSize.count
    self.order = order
    port = loop.core
    let observer = loop.addObserver(for: .beforeWaiting, order: order) {
      [unowned(unsafe) self] _ in drain()
    }
    observer.isResting = true
    self.observer = observer
    loop.part(QueueList.self).insert(self)
    if loop.state == .closing { refuseOthers() }
  }

  deinit {
    guard port.isForked else { return state.withLock { $0.free() } }
    // Nor is the lock destroyed: a thread that the child does not have may hold it.
    _ = Unmanaged.passRetained(state)
  }

  /// Adds `object` for the loop to take.
  ///
  /// Call from any thread.
  func enqueue(_ object: AnyObject) -> QueueState.EnqueueAction {
    // Nobody hands over what an inherited queue holds. I15.
    guard !port.isForked else { return .closed }
    var lookahead: AnyObject?
    let action = state.withLock {
      $0.enqueue(object, onLoop: port.isOnThread, lookahead: &lookahead)
    }
    if case .queued(wakes: true) = action { scheduleOnLoop() }
    return action
  }

  /// What `body` says of the state, or else `inherited`, in a child process: a
  /// thread that it does not have may hold the lock. I15.
  ///
  /// Call from any thread.
  func ask<Result>(orInherited inherited: Result, _ body: (inout QueueState) -> Result) -> Result {
    port.isForked ? inherited : state.withLock(body)
  }

  /// How many elements wait.
  var count: Int { ask(orInherited: 0) { $0.count } }

  /// Its user dropped the queue: it goes when it is empty.
  ///
  /// Call from any thread.
  func abandon() {
    var item = PostedItem(queueWasAbandoned, self)
    if !port.append(item) { item.drop() }
  }

  private func scheduleOnLoop() {
    if port.isOnThread { return schedule() }
    // Refused by a loop that is closing: it drains every queue to its end.
    var item = PostedItem(queueWasFilled, self)
    if !port.append(item) { item.drop() }
  }
}

// What follows is called on the loop.
extension QueueCore {
  private var hasPendingWork: Bool { observer?.isPending ?? false }

  /// Has the loop drain the queue before it next blocks.
  fileprivate func schedule() {
    if loop != nil { observer?.setPending(true) }
  }

  /// Lets the loop block: the queue is empty.
  private func becomeIdle() { observer?.setPending(false) }

  /// Hands over a batch. Q2.
  private func drain() {
    guard let loop else { return }
    // The observer's call reset it. `becomeIdle()` resets it again when the drain ends.
    observer?.setPending(true)
    if !handOver(atMost: batchSize, on: loop) { loop.core.metrics.carriedOver.add() }
    if isAbandoned, !hasPendingWork { detach() }
  }

  /// Hands over everything that waits now, whatever the batch and the budget.
  func flush() {
    // What a child inherited is the parent's to hand over. I15.
    guard !port.isForked, let loop else { return }
    let wasLifted = loop.meter.isLifted
    loop.meter.isLifted = true
    _ = handOver(atMost: .max, on: loop)
    loop.meter.isLifted = wasLifted
  }

  /// Refuses elements of other threads: their loop closes, and they might add
  /// faster than it hands over.
  func refuseOthers() { state.withLock { $0.closeToOthers() } }

  /// Refuses elements from now on, and hands over those that wait.
  func flushForGood() {
    state.withLock { $0.close() }
    flush()
  }

  /// Drops what is left, and leaves the loop.
  func loopDidClose() {
    close()
    becomeIdle()
    observer = nil
    handler = nil
    onDrain = nil
    leaveLoop()
  }

  /// Takes note that there is no loop any more.
  func leaveLoop() { loop = nil }

  /// Refuses elements from now on, and drops those that wait.
  func close() {
    ask(orInherited: ()) { $0.close() }
    removeAll()
  }

  /// Drops what waits, outside the lock.
  ///
  /// Call from any thread.
  @discardableResult
  func removeAll() -> Int {
    var removed = ask(orInherited: nil) { $0.removeAll() }
    return removed?.drop() ?? 0
  }

  /// Hands over `limit` elements at most; whether nothing is left of those that
  /// waited when it began.
  private func handOver(atMost limit: Int, on loop: EventLoop) -> Bool {
    let mark = state.withLock { $0.mark }
    var left = limit
    while let isLast = deliverNext(before: mark, on: loop) {
      left -= 1
      if isLast {
        onDrain?()
        return true
      }
      guard left > 0, loop.meter.allowsMore() else { return false }
    }
    return endWithoutElement()
  }

  /// Hands the next element over, and lets go of it; whether it was the last.
  private func deliverNext(before mark: UInt32, on loop: EventLoop) -> Bool? {
    guard var element = state.withLock({ $0.dequeue(before: mark) }) else { return nil }
    // Flushed at once, they are not of a tick.
    if !loop.meter.isLifted { loop.meter.didPerform() }
    loop.core.metrics.delivered.add()
    // Before the handler, so that what it enqueues begins a new drain.
    if element.isLast { becomeIdle() }
    // It may be ours alone by now, and is not to live on through the handler.
    element.lookahead = nil
    handler?(element.object, element.isLast)
    return element.isLast
  }

  /// The elements that were left have died or were removed. Q6.
  private func endWithoutElement() -> Bool {
    switch state.withLock({ $0.endDrain() }) {
    case .waiting: return false
    case .drained:
      becomeIdle()
      onDrain?()
    case .none: becomeIdle()
    }
    return true
  }

  fileprivate func wasAbandoned() {
    isAbandoned = true
    // The wake of another thread may come only behind this.
    if state.withLock({ $0.count }) > 0 { schedule() }
    if !hasPendingWork { detach() }
  }

  private func detach() {
    observer?.cancel()
    loop?.part(QueueList.self).remove(self)
    loopDidClose()
  }
}

private func queueWasFilled(_ loop: UnsafeRawPointer, _ queue: UnsafeRawPointer) {
  Unmanaged<QueueCore>.fromOpaque(queue).takeUnretainedValue().schedule()
}

private func queueWasAbandoned(_ loop: UnsafeRawPointer, _ queue: UnsafeRawPointer) {
  Unmanaged<QueueCore>.fromOpaque(queue).takeUnretainedValue().wasAbandoned()
}
