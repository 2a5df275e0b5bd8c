/// The part of a queue that its loop retains: the elements, the handler and the
/// observer.
final class QueueCore: @unchecked Sendable {
  // @unchecked: `state` has a lock. Properties marked "loop only" are accessed
  // on the loop's thread, after a check or in calls by the loop.

  typealias Handler = (AnyObject, _ isDrained: Bool) -> Void

  // Two acquisitions per element, each for a few dozen instructions.
  let state: AdaptiveLock<QueueState>
  private let isPlain: Bool
  let port: PortCore
  private let batchSize: Int
  let order: Int
  private let place: SourcePlace

  // Unmanaged, so that a drain counts no reference. The loop keeps the observer,
  // and the run or callback that drains the queue keeps the loop.
  private var loopReference: Unmanaged<EventLoop>?  // loop only
  private var observerReference: Unmanaged<Observer>?  // loop only
  private var observer: Observer? {  // loop only
    didSet { observerReference = observer.map { .passUnretained($0) } }
  }
  private var handler: Handler?  // loop only
  private var onDrain: (() -> Void)?  // loop only
  private var isAbandoned = false  // loop only

  init(
    loop: EventLoop,
    state: QueueState,
    batchSize: BatchSize,
    order: Int,
    place: SourcePlace,
    handler: Handler?,
    onDrain: (() -> Void)?
  ) {
    // 64: an object that another thread queues takes half as long as with 1.
    self.state = AdaptiveLock(state, longestPause: 64)
    isPlain = state.isPlain
    loopReference = .passUnretained(loop)
    self.handler = handler
    self.onDrain = onDrain
    self.batchSize = batchSize.count
    self.order = order
    self.place = place
    port = loop.core
    let observer = loop.addObserver(for: .beforeWaiting, order: order, place: nil) {
      [unowned(unsafe) self] _ in drain()
    }
    observer.isResting = true
    self.observer = observer
    observerReference = .passUnretained(observer)
    loop.part(QueueList.self).insert(self)
    if loop.state == .closing { refuseOthers() }
  }

  deinit {
    guard port.isForked else { return state.withLock { $0.free() } }
    // The state is leaked in a forked child, because its lock must not be
    // destroyed while a thread of the parent may hold it.
    _ = Unmanaged.passRetained(state)
  }

  /// Adds `object` to the queue.
  ///
  /// Call from any thread.
  func enqueue(_ object: AnyObject) -> QueueState.EnqueueAction {
    // A forked child never drains the queue.
    guard !port.isForked else { return .closed }
    let onLoop = port.isOnThread
    let action =
      isPlain ? state.withLock { $0.enqueuePlain(object, onLoop: onLoop) } : insert(object)
    if case .queued(wakes: true) = action { scheduleOnLoop() }
    return action
  }

  /// Adds `object` to the queue. The caller may hold a lock, and must call
  /// `didInsert(_:)` without it.
  ///
  /// Call from any thread.
  @inline(never)
  func insert(_ object: AnyObject) -> QueueState.EnqueueAction {
    var lookahead: AnyObject?
    return state.withLock { $0.enqueue(object, onLoop: port.isOnThread, lookahead: &lookahead) }
  }

  /// Wakes the loop if `insert(_:)` returned that this is necessary.
  ///
  /// Call from any thread.
  func didInsert(_ action: QueueState.EnqueueAction) {
    if case .queued(wakes: true) = action { scheduleOnLoop() }
  }

  /// Calls `body` with the state and returns its result. In a forked child
  /// process, returns `inherited` instead, because a thread of the parent may
  /// hold the lock. I15.
  ///
  /// Call from any thread.
  func ask<Result>(orInherited inherited: Result, _ body: (inout QueueState) -> Result) -> Result {
    port.isForked ? inherited : state.withLock(body)
  }

  /// The number of queued elements.
  var count: Int { ask(orInherited: 0) { $0.count } }

  /// Detaches the queue from the loop once the queue is empty. Called when the
  /// user released the queue.
  ///
  /// Call from any thread.
  func abandon() {
    var item = PostedItem(queueWasAbandoned, self)
    if !port.append(item) { item.drop() }
  }

  private func scheduleOnLoop() {
    if port.isOnThread { return schedule() }
    // A closing loop refuses the post. It drains all queues itself.
    var item = PostedItem(queueWasFilled, self)
    if !port.append(item) { item.drop() }
  }
}

// Everything below is called on the loop.
extension QueueCore {
  private var loop: EventLoop? { loopReference?.takeUnretainedValue() }

  private var hasPendingWork: Bool { observer?.isPending ?? false }

  /// Makes the loop drain the queue before the loop next blocks.
  fileprivate func schedule() {
    if loop != nil { observer?.setPending(true) }
  }

  /// Lets the loop block, because the queue is empty.
  private func becomeIdle() { observer?.setPending(false) }

  /// Delivers a batch. Q2.
  private func drain() {
    guard let loopReference, let observerReference else { return }
    // Calling the observer cleared its pending state. `becomeIdle()` clears it
    // again when the drain ends.
    observerReference._withUnsafeGuaranteedRef { $0.setPending(true) }
    loopReference._withUnsafeGuaranteedRef {
      if !handOver(atMost: batchSize, on: $0) { port.metrics.carriedOver.add() }
    }
    if isAbandoned, !hasPendingWork { detach() }
  }

  /// Delivers all queued elements now, regardless of batch size and budget.
  func flush() {
    // The parent process delivers the elements that a child inherited.
    guard !port.isForked, let loop else { return }
    let wasLifted = loop.meter.isLifted
    loop.meter.isLifted = true
    _ = handOver(atMost: .max, on: loop)
    loop.meter.isLifted = wasLifted
  }

  /// Refuses elements from other threads. A closing loop might otherwise never
  /// finish delivering them.
  func refuseOthers() { state.withLock { $0.closeToOthers() } }

  /// Refuses further elements and delivers the queued elements.
  func flushForGood() {
    state.withLock { $0.close() }
    flush()
  }

  /// Drops the queued elements and detaches the queue from its closed loop.
  func loopDidClose() {
    close()
    becomeIdle()
    observer = nil
    handler = nil
    onDrain = nil
    leaveLoop()
  }

  /// Clears the reference to the loop.
  func leaveLoop() { loopReference = nil }

  /// Refuses further elements and drops the queued elements.
  func close() {
    ask(orInherited: ()) { $0.close() }
    removeAll()
  }

  /// Drops all queued elements, and returns how many were alive. Releases them
  /// without the lock.
  ///
  /// Call from any thread.
  @discardableResult
  func removeAll() -> Int {
    var removed = ask(orInherited: nil) { $0.removeAll() }
    return removed?.drop() ?? 0
  }

  /// Delivers up to `limit` elements. Returns whether all elements that were
  /// queued at the start were delivered.
  private func handOver(atMost limit: Int, on loop: EventLoop) -> Bool {
    if _slowPath(port.needsSlowTick) { return handOverRecorded(atMost: limit, on: loop) }
    return handOver(atMost: limit, on: loop) {}
  }

  /// Does the same as `handOver(atMost:on:_:)` while pieces of work are measured.
  @inline(never)
  private func handOverRecorded(atMost limit: Int, on loop: EventLoop) -> Bool {
    let (recorder, owner) = (loop.recorder, OwnerWord(.element, place))
    loop.enterTick()
    let outer = recorder?.pointee.enter()
    defer { if let outer { recorder?.pointee.end(outer) } }
    return handOver(atMost: limit, on: loop) { recorder?.pointee.begin(owner) }
  }

  @inline(__always)
  private func handOver(
    atMost limit: Int,
    on loop: EventLoop,
    _ willDeliver: () -> Void
  ) -> Bool {
    var left = limit
    var mark: UInt32?
    // Retained once, and not for each element.
    let handler = handler
    while let isLast = deliverNext(before: &mark, to: handler, on: loop, willDeliver) {
      left -= 1
      if isLast {
        onDrain?()
        return true
      }
      guard left > 0, loop.meter.allowsMore() else { return false }
    }
    return endWithoutElement()
  }

  /// Delivers the next element and releases it. Returns whether it was the last
  /// element, or nil if no element was left. Sets `mark` to the queue's end if it
  /// is nil.
  @inline(__always)
  private func deliverNext(
    before mark: inout UInt32?,
    to handler: Handler?,
    on loop: EventLoop,
    _ willDeliver: () -> Void
  ) -> Bool? {
    let element =
      isPlain
      ? state.withLock { $0.dequeuePlain(before: Self.end(of: $0, &mark)) }
      : dequeue(before: &mark)
    guard let (object, isLast) = element else { return nil }
    // A flush does not count towards the tick's budget.
    if !loop.meter.isLifted { loop.meter.didPerform() }
    loop.core.metrics.delivered.add()
    // Called before the handler, so that an element enqueued by the handler
    // starts a new drain.
    if isLast { becomeIdle() }
    willDeliver()
    handler?(object, isLast)
    return isLast
  }

  /// Removes the next element of any queue.
  @inline(never)
  private func dequeue(before mark: inout UInt32?) -> (object: AnyObject, isLast: Bool)? {
    // The lookahead is released before the handler runs, because this may be the
    // last reference to the next element.
    state.withLock { $0.dequeue(before: Self.end(of: $0, &mark)) }.map { ($0.object, $0.isLast) }
  }

  /// Returns `mark`, and sets it to the end of the queue if it is nil.
  @inline(__always)
  private static func end(of state: borrowing QueueState, _ mark: inout UInt32?) -> UInt32 {
    if let mark { return mark }
    let end = state.mark
    mark = end
    return end
  }

  /// Ends the drain if the remaining elements have died or were removed. Q6.
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
    // The post for a queued element may not have arrived yet.
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

/// The queues of a loop, sorted by order. Queues of equal order keep the order
/// in which they were created. Loop thread only.
final class QueueList: LoopPart {
  private var queues: [QueueCore] = []

  /// Inserts `queue` behind the queues of equal order.
  func insert(_ queue: QueueCore) {
    queues.insert(queue, at: queues.firstIndex { $0.order > queue.order } ?? queues.endIndex)
  }

  /// Removes `queue`.
  func remove(_ queue: QueueCore) { queues.removeAll { $0 === queue } }

  var holdsAnything: Bool { !queues.isEmpty }

  func loopWillClose() { for queue in queues { queue.refuseOthers() } }

  func finish() { for queue in queues { queue.flush() } }

  func finishForGood() { for queue in queues { queue.flushForGood() } }

  func drop() {
    let dropped = queues
    queues = []
    for queue in dropped { queue.loopDidClose() }
  }

  func loopWasReleased() { drop() }

  func leaveInChild() { for queue in queues { queue.leaveLoop() } }

  func updateMetrics(_ metrics: MetricsCells) {
    metrics.pendingElements.set(UInt64(queues.reduce(0) { $0 + $1.count }))
  }
}
