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

  // Not retained. The run or callback that drains the queue keeps the loop.
  private unowned(unsafe) var loop: EventLoop?  // loop only
  private var observer: Observer?  // loop only
  private var handler: Handler?  // loop only
  private var onDrain: (() -> Void)?  // loop only
  private var isAbandoned = false  // loop only

  /// Creates the core of a queue that `loop` drains. Traps with `operation` in
  /// the message if the loop cannot be used here and now.
  init(
    for operation: StaticString,
    on loop: EventLoop,
    state: QueueState,
    batchSize: BatchSize,
    order: Int,
    place: SourcePlace,
    onDrain: (() -> Void)?,
    handler: Handler?
  ) {
    loop.checkUsable(operation)
    // 64: an object that another thread queues takes half as long as with 1.
    self.state = AdaptiveLock(state, longestPause: 64)
    isPlain = state.isPlain
    self.loop = loop
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
    loop.part(QueueList.self).insert(self)
    if loop.state == .closing { refuseOthers() }
  }

  deinit {
    guard port.isForked else { return state.withLock { $0.free() } }
    // The state is leaked in a forked child, because its lock must not be
    // destroyed while a thread of the parent may hold it.
    KeyedObject.retain(state)
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
  func withState<Result>(orInherited inherited: Result, _ body: (inout QueueState) -> Result)
    -> Result
  {
    port.isForked ? inherited : state.withLock(body)
  }

  /// The number of queued elements.
  var count: Int { withState(orInherited: 0) { $0.count } }

  /// Names the queue if it has elements, for reports.
  var unfinishedWork: String? {
    let count = count
    guard count > 0 else { return nil }
    return "\(count) element\(count == 1 ? "" : "s") of the queue at \(place.description)"
  }

  /// The number of elements dropped because the queue was full.
  var droppedCount: Int { withState(orInherited: 0) { $0.droppedCount } }

  /// Detaches the queue from the loop once the queue is empty. Called when the
  /// user released the queue.
  ///
  /// Call from any thread.
  func abandon() { port.call(queueWasAbandoned, with: self) }

  // Not inlined, because few elements begin a drain.
  @inline(never)
  private func scheduleOnLoop() {
    // A closing loop refuses the call. It drains all queues itself.
    if port.isOnThread { schedule() } else { port.call(queueWasFilled, with: self) }
  }

  /// Refuses further elements and drops the queued elements.
  ///
  /// Call from any thread.
  func close() {
    withState(orInherited: ()) { $0.close() }
    removeAll()
  }

  /// Drops all queued elements, and returns how many were alive. Releases them
  /// without the lock.
  ///
  /// Call from any thread.
  @discardableResult
  func removeAll() -> Int {
    var removed = withState(orInherited: nil) { $0.removeAll() }
    return removed?.drop() ?? 0
  }
}

// Everything below is called on the loop.
extension QueueCore {
  private var hasPendingWork: Bool { observer?.isPending ?? false }

  /// Makes the loop drain the queue before the loop next blocks.
  fileprivate func schedule() {
    if loop != nil { observer?.setPending(true) }
  }

  /// Lets the loop block, because the queue is empty.
  private func becomeIdle() { observer?.setPending(false) }

  /// Delivers a batch. Q2.
  private func drain() {
    guard let loop else { return }
    // Calling the observer cleared its pending state. `becomeIdle()` clears it
    // again when the drain ends.
    schedule()
    if !handOver(atMost: batchSize, on: loop) { port.metrics.carriedOver.add() }
    if isAbandoned, !hasPendingWork { detach() }
  }

  /// Delivers all queued elements now, regardless of batch size and budget.
  /// Traps with `operation` in the message on another thread than the loop's.
  func flush(for operation: StaticString) {
    port.checkThread(operation)
    flush()
  }

  fileprivate func flush() {
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
  func leaveLoop() { loop = nil }

  /// Delivers up to `limit` elements. Returns whether all elements that were
  /// queued at the start were delivered.
  private func handOver(atMost limit: Int, on loop: EventLoop) -> Bool {
    let recording = _slowPath(port.needsSlowTick) ? beginRecording(on: loop) : nil
    defer { if let recording { recording.recorder.pointee.end(recording.outer) } }
    let recorder = recording?.recorder
    var remaining = limit
    var mark: UInt32?
    // Retained once, and not for each element.
    let handler = handler
    while let isLast = deliverNext(before: &mark, to: handler, on: loop, recorder) {
      remaining -= 1
      if isLast {
        onDrain?()
        return true
      }
      guard remaining > 0, loop.meter.allowsMore() else { return false }
    }
    return endWithoutElement()
  }

  /// Prepares to measure the elements as pieces of work. Returns nil if nothing
  /// is recorded.
  @inline(never)
  private func beginRecording(
    on loop: EventLoop
  ) -> (recorder: UnsafeMutablePointer<Recorder>, outer: OwnerWord)? {
    loop.enterTick()
    return loop.recorder.map { ($0, $0.pointee.enter()) }
  }

  /// Delivers the next element and releases it. Returns whether it was the last
  /// element, or nil if no element was left. Sets `mark` to the queue's end if it
  /// is nil.
  @inline(__always)
  private func deliverNext(
    before mark: inout UInt32?,
    to handler: Handler?,
    on loop: EventLoop,
    _ recorder: UnsafeMutablePointer<Recorder>?
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
    if let recorder { record(recorder) }
    handler?(object, isLast)
    return isLast
  }

  @inline(never)
  private func record(_ recorder: UnsafeMutablePointer<Recorder>) {
    recorder.pointee.begin(OwnerWord(.element, place))
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
  queue.object(as: QueueCore.self).schedule()
}

private func queueWasAbandoned(_ loop: UnsafeRawPointer, _ queue: UnsafeRawPointer) {
  queue.object(as: QueueCore.self).wasAbandoned()
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

  var unfinishedWork: [String] { queues.compactMap(\.unfinishedWork) }

  func processWillExit() { finish() }

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
