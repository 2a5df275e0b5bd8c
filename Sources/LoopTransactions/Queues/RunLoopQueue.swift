/// A FIFO queue of objects that a loop delivers to a handler, one batch per
/// tick.
///
/// Elements are enqueued from any thread. The handler is called on the loop,
/// before the loop blocks. By default, enqueueing an element that is already
/// queued keeps its position, and the element is delivered once.
///
/// A queue without a handler is a release queue: it spreads the cost of
/// releasing large structures over many ticks.
///
/// If the queue is released, its elements are still delivered. The loop's
/// `run()` continues while elements are queued. If only other threads fill the
/// queue, set `EventLoop.waitsForPosts` and keep a reference to the loop's
/// port, so that the run waits for their elements. In a forked child process,
/// the queue is closed and empty.
///
/// ```swift
/// let queue = RunLoopQueue<Cell>(on: loop, batchSize: 4) { cell, isDrained in
///   cell.display()
/// }
/// queue.enqueue(cell)
/// ```
///
/// See also: modelled on Texture's `ASRunLoopQueue`.
public final class RunLoopQueue<Element: AnyObject> {
  /// Whether a queue retains its elements.
  public enum Membership: Hashable, Sendable {
    /// Elements are retained until they are delivered.
    case strong
    /// Elements are not retained. Dead elements are skipped and do not count
    /// towards the batch.
    case weak
  }

  /// The result of enqueueing an element. The dropped element is nil if it had
  /// died.
  public typealias Outcome = QueueOutcome<Element?>

  private let core: QueueCore

  /// Creates a queue that `loop` drains.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls the handler.
  ///   - membership: Whether elements are retained.
  ///   - batchSize: How many elements are delivered per tick.
  ///   - isExclusive: Whether an element can be queued only once.
  ///   - order: The order among the observers of `beforeWaiting`.
  ///   - capacity: The maximum number of elements, or nil for no limit.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - onDrain: Called on the loop once per drain, after the last element was
  ///     delivered or found dead.
  ///   - handler: Called on the loop with each element and a flag that says
  ///     whether it is the last live element. If nil, the queue releases the
  ///     elements and calls nothing.
  public init(
    on loop: EventLoop,
    membership: Membership = .strong,
    batchSize: BatchSize = 1,
    isExclusive: Bool = true,
    order: Int = 0,
    capacity: QueueCapacity? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    onDrain: (() -> Void)? = nil,
    handler: ((_ element: Element, _ isDrained: Bool) -> Void)?
  ) {
    // Not `map`, which is generic and so wraps the closure in two thunks.
    var deliver: QueueCore.Handler?
    if let handler {
      deliver = { object, isDrained in
        handler(unsafeDowncast(object, to: Element.self), isDrained)
      }
    }
    core = QueueCore(
      for: "RunLoopQueue.init",
      on: loop,
      state: QueueState(isExclusive: isExclusive, isWeak: membership == .weak, capacity: capacity),
      batchSize: batchSize,
      order: order,
      place: SourcePlace(fileID, line),
      onDrain: onDrain,
      handler: deliver
    )
  }

  deinit { core.abandon() }

  /// Adds `element` to the queue, unless it is already queued.
  ///
  /// Call from any thread. A burst of elements wakes a sleeping loop once.
  /// During its delivery an element is no longer queued, so the handler may
  /// enqueue it again, for a later tick.
  ///
  /// - Parameter element: Retained until it is delivered, unless membership is
  ///   weak.
  /// - Complexity: O(1).
  @discardableResult
  public func enqueue(_ element: Element) -> Outcome {
    let action = core.enqueue(element)
    if case .queued = action { return .queued }
    return outcome(of: action, for: element)
  }

  // Not inlined, because most enqueues do not need its registers.
  @inline(never)
  private func outcome(of action: QueueState.EnqueueAction, for element: Element) -> Outcome {
    QueueOutcome(action, new: element) { oldest in
      oldest.map { unsafeDowncast($0, to: Element.self) }
    }
  }

  /// Removes `element`, and returns whether it was queued.
  ///
  /// Call from any thread. A queue that is not exclusive removes the oldest
  /// occurrence.
  ///
  /// - Complexity: O(1), or O(n) if the queue is not exclusive.
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    core.withState(orInherited: nil) { $0.remove(element) } != nil
  }

  /// Removes all elements, and returns how many of them were alive.
  ///
  /// Call from any thread. The elements are released on that thread.
  ///
  /// - Complexity: O(n), outside the lock.
  @discardableResult
  public func removeAll() -> Int { core.removeAll() }

  /// The number of queued elements. Includes dead elements that have not been
  /// removed yet.
  ///
  /// Call from any thread.
  public var count: Int { core.count }

  /// The number of elements dropped because the queue was full.
  ///
  /// Call from any thread.
  public var droppedCount: Int { core.droppedCount }

  /// Delivers all queued elements now, regardless of batch size and budget.
  /// Useful under memory pressure, for example.
  ///
  /// Call on the loop. Does nothing in a forked child process.
  ///
  /// - Complexity: O(n).
  public func flush() { core.flush(for: "RunLoopQueue.flush") }

  /// Refuses further elements and drops the queued elements.
  ///
  /// Call from any thread. The elements are released on that thread.
  ///
  /// - Complexity: O(n).
  public func close() { core.close() }
}

// @unchecked: the only property is a constant reference to a core that any
// thread may use. Elements cross threads, so they must be Sendable.
extension RunLoopQueue: @unchecked Sendable where Element: Sendable {}

/// The result of enqueueing an element in a `RunLoopQueue` or a
/// `RunLoopValueQueue`.
public enum QueueOutcome<Dropped> {
  /// The element was added.
  case queued
  /// The element, or its key, was already queued, and keeps its position.
  case alreadyQueued
  /// The queue is full and refused the element.
  case refused
  /// The queue was full, and the associated element was dropped.
  /// `QueueCapacity.WhenFull` decides whether it is the oldest element or the
  /// new one.
  case dropped(Dropped)
  /// The queue or its loop is closed.
  case closed

  /// The result of `action` for the element `new`. `element` returns the element
  /// of a removed object.
  @inline(__always)
  init(_ action: QueueState.EnqueueAction, new: Dropped, element: (AnyObject?) -> Dropped) {
    switch action {
    case .queued: self = .queued
    case .alreadyQueued: self = .alreadyQueued
    case .refused: self = .refused
    case .closed: self = .closed
    case .dropped: self = .dropped(new)
    case .replaced(let key, let box): self = .dropped(element(QueueState.claim(key, box: box)))
    }
  }
}

/// The number of elements that a queue may hold, and its policy when it is
/// full.
///
/// A full queue with weak membership first removes dead elements from its
/// front. A dead element behind a live element counts until the live element is
/// delivered. To see whether the first element is alive, the enqueueing thread
/// retains it briefly, so it may release that element's last reference.
///
/// A value type: use it on any thread.
public struct QueueCapacity: Hashable, Sendable {
  /// The policy of a full queue.
  public enum WhenFull: Hashable, Sendable {
    /// The new element is refused, and `enqueue` returns `.refused`.
    case refuse
    /// The oldest element is dropped, counted, and returned by `enqueue`.
    case dropOldest
    /// The new element is dropped, counted, and returned by `enqueue`.
    case dropNewest
  }

  /// The number of elements that may be queued.
  public let limit: Int

  /// What happens when the queue is full.
  public let whenFull: WhenFull

  /// Creates a capacity of `limit` elements.
  ///
  /// - Precondition: `limit` is positive.
  public init(_ limit: Int, whenFull: WhenFull) {
    require(limit > 0, "QueueCapacity: the limit must be positive, got \(limit)")
    self.limit = limit
    self.whenFull = whenFull
  }
}

/// The number of elements that a queue delivers in one tick.
///
/// A value type: use it on any thread.
public struct BatchSize: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number of elements.
  public let count: Int

  /// Creates a batch size of `count` elements per tick.
  ///
  /// - Precondition: `count` is positive.
  public init(_ count: Int) {
    require(count > 0, "BatchSize: must be positive, got \(count); use .unlimited for all")
    self.count = count
  }

  /// Creates a batch size of `value` elements per tick.
  ///
  /// - Precondition: `value` is positive.
  public init(integerLiteral value: Int) { self.init(value) }

  /// Delivers all queued elements, as far as the tick's budget allows.
  public static let unlimited = BatchSize(.max)
}
