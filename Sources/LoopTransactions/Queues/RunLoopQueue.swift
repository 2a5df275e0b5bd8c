/// Objects that a loop takes in batches, oldest first, a batch per tick.
///
/// Enqueue from any thread; the handler is called on the loop, before it waits.
/// An object that waits already keeps its place and is handed over once, unless
/// the queue is made otherwise. A queue without a handler is a release queue: it
/// spreads the cost of dropping large structures over many ticks.
///
/// What waits when the queue itself is dropped is still handed over. The loop's
/// `run()` goes on while anything waits. Where only other threads fill the queue,
/// set `EventLoop.waitsForPosts` and hold the loop's port, so that the run waits for
/// them. In a child process the queue is closed and empty; the parent's goes on.
///
/// ```swift
/// let queue = RunLoopQueue<Cell>(on: loop, batchSize: 4) { cell, isDrained in
///   cell.display()
/// }
/// queue.enqueue(cell)
/// ```
///
/// After Texture's ASRunLoopQueue.
public final class RunLoopQueue<Element: AnyObject> {
  /// Whether a queue keeps its elements alive.
  public enum Membership: Hashable, Sendable {
    /// Elements live until they are handed over.
    case strong
    /// Elements that die are passed over, and use up no batch.
    case weak
  }

  /// What became of an element that was enqueued.
  public enum Outcome {
    /// It waits to be handed over.
    case queued
    /// It waited already, and keeps its place.
    case alreadyQueued
    /// The queue is full, and did not take it.
    case refused
    /// The queue was full, and this element was dropped for it: the one that
    /// waited longest, or the one just enqueued. Nil if it had died.
    case dropped(Element?)
    /// The queue or its loop is closed.
    case closed
  }

  private let core: QueueCore

  /// A queue that `loop` drains.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - membership: Whether elements are kept alive.
  ///   - batchSize: How many are handed over in a tick.
  ///   - isExclusive: Whether an element can wait only once.
  ///   - order: When in `beforeWaiting`, among observers.
  ///   - capacity: How many may wait; nil is any number.
  ///   - onDrain: Called on the loop once per drain, after its last element was
  ///     handed over, or found dead.
  ///   - handler: Called on the loop with each element and whether it is the
  ///     last live one. Nil only drops the references.
  public init(
    on loop: EventLoop,
    membership: Membership = .strong,
    batchSize: BatchSize = 1,
    isExclusive: Bool = true,
    order: Int = 0,
    capacity: QueueCapacity? = nil,
    onDrain: (() -> Void)? = nil,
    handler: ((_ element: Element, _ isDrained: Bool) -> Void)?
  ) {
    loop.checkUsable("RunLoopQueue.init")
    let state = QueueState(
      isExclusive: isExclusive,
      isWeak: membership == .weak,
      capacity: capacity
    )
    core = QueueCore(
      loop: loop,
      state: state,
      batchSize: batchSize,
      order: order,
      handler: handler.map { body in
        { object, isDrained in body(unsafeDowncast(object, to: Element.self), isDrained) }
      },
      onDrain: onDrain
    )
  }

  deinit { core.abandon() }

  /// Queues `element` for a later tick, unless it is queued already.
  ///
  /// Call from any thread. A sleeping loop is woken once however many follow.
  /// An element that is being handed over is no longer queued: its handler may
  /// queue it again, for a later tick.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func enqueue(_ element: Element) -> Outcome {
    switch core.enqueue(element) {
    case .queued: return .queued
    case .alreadyQueued: return .alreadyQueued
    case .refused: return .refused
    case .closed: return .closed
    case .dropped: return .dropped(element)
    case .replaced(let key, let box):
      let oldest = QueueState.claim(key, QueueState.Reference(box: box))
      return .dropped(oldest.map { unsafeDowncast($0, to: Element.self) })
    }
  }

  /// Takes `element` out; whether it was queued.
  ///
  /// Call from any thread. Not exclusive, the oldest occurrence is taken.
  ///
  /// - Complexity: O(1); not exclusive, O(n).
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    core.ask(orInherited: (false, nil)) { $0.remove(element) }.wasIn
  }

  /// Takes everything out; how many live elements there were.
  ///
  /// Call from any thread, which releases them.
  ///
  /// - Complexity: O(n), without the lock.
  @discardableResult
  public func removeAll() -> Int { core.removeAll() }

  /// How many elements wait, those that died unnoticed included.
  ///
  /// Call from any thread.
  public var count: Int { core.count }

  /// How many elements were dropped for want of room.
  ///
  /// Call from any thread.
  public var droppedCount: Int { core.ask(orInherited: 0) { $0.droppedCount } }

  /// Hands over everything that waits, at once, whatever the batch and the
  /// budget: for a release queue under memory pressure.
  ///
  /// Call on the loop. Does nothing in a child process, whose parent hands it over.
  ///
  /// - Complexity: O(n).
  public func flush() {
    core.port.checkThread("RunLoopQueue.flush")
    core.flush()
  }

  /// Refuses elements from now on, and drops those that wait.
  ///
  /// Call from any thread, which releases them.
  ///
  /// - Complexity: O(n).
  public func close() { core.close() }
}

// @unchecked: all there is is a constant reference to a core that any thread may
// use; elements cross threads, so they must be free to.
extension RunLoopQueue: @unchecked Sendable where Element: Sendable {}
