/// A FIFO queue of values that a loop delivers to a handler, one batch per
/// tick.
///
/// Works like `RunLoopQueue`, for structures, enumerations and closures: values
/// are enqueued from any thread, and the handler is called on the loop, before
/// the loop blocks. A value is kept until it is delivered.
///
/// A queue is exclusive only if it is created with a key. A value whose key is
/// already queued is then not added, and the queued value keeps its position.
///
/// ```swift
/// let changes = RunLoopValueQueue<Change>(
///   on: loop,
///   exclusiveBy: \.row
/// ) { change, isDrained in
///   table.apply(change)
/// }
/// changes.enqueue(Change(row: 7))
/// ```
public final class RunLoopValueQueue<Element> {
  /// The result of enqueueing a value.
  public enum Outcome {
    /// The value was added.
    case queued
    /// A value with the same key was already queued, and keeps its position.
    case alreadyQueued
    /// The queue is full and refused the value.
    case refused
    /// The queue was full, and the associated value was dropped.
    /// `QueueCapacity.WhenFull` decides whether it is the oldest value or the
    /// new one.
    case dropped(Element)
    /// The queue or its loop is closed.
    case closed
  }

  private let core: QueueCore
  private let members: QueueMembers<Element>

  /// Creates a queue that `loop` drains. A value is delivered as often as it is
  /// enqueued.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls the handler.
  ///   - batchSize: How many values are delivered per tick.
  ///   - order: The order among the observers of `beforeWaiting`.
  ///   - capacity: The maximum number of values, or nil for no limit.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - onDrain: Called on the loop once per drain, after the last value was
  ///     delivered or removed.
  ///   - handler: Called on the loop with each value and a flag that says
  ///     whether it is the last one.
  public convenience init(
    on loop: EventLoop,
    batchSize: BatchSize = 1,
    order: Int = 0,
    capacity: QueueCapacity? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    onDrain: (() -> Void)? = nil,
    handler: @escaping (_ element: Element, _ isDrained: Bool) -> Void
  ) {
    let place = SourcePlace(fileID, line)
    self.init(loop, QueueMembers(), batchSize, order, capacity, place, onDrain, handler)
  }

  /// Creates a queue that `loop` drains, and that holds one value for each key.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls the handler.
  ///   - key: Returns the key of a value. Called on the thread that enqueues or
  ///     removes the value. Keys are compared and released on any thread, with
  ///     the queue locked, so they must not use the queue.
  ///   - batchSize: How many values are delivered per tick.
  ///   - order: The order among the observers of `beforeWaiting`.
  ///   - capacity: The maximum number of values, or nil for no limit.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - onDrain: Called on the loop once per drain, after the last value was
  ///     delivered or removed.
  ///   - handler: Called on the loop with each value and a flag that says
  ///     whether it is the last one.
  public convenience init<Key: Hashable & Sendable>(
    on loop: EventLoop,
    exclusiveBy key: @escaping @Sendable (Element) -> Key,
    batchSize: BatchSize = 1,
    order: Int = 0,
    capacity: QueueCapacity? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    onDrain: (() -> Void)? = nil,
    handler: @escaping (_ element: Element, _ isDrained: Bool) -> Void
  ) {
    let members = KeyedQueueMembers<Element, Key>(key)
    let place = SourcePlace(fileID, line)
    self.init(loop, members, batchSize, order, capacity, place, onDrain, handler)
  }

  private init(
    _ loop: EventLoop,
    _ members: QueueMembers<Element>,
    _ batchSize: BatchSize,
    _ order: Int,
    _ capacity: QueueCapacity?,
    _ place: SourcePlace,
    _ onDrain: (() -> Void)?,
    _ handler: @escaping (Element, Bool) -> Void
  ) {
    loop.checkUsable("RunLoopValueQueue.init")
    self.members = members
    core = QueueCore(
      loop: loop,
      state: QueueState(isExclusive: true, isWeak: false, capacity: capacity),
      batchSize: batchSize,
      order: order,
      place: place,
      handler: { box, isDrained in
        let box = unsafeDowncast(box, to: QueuedValue<Element>.self)
        // Removed first, so that the handler can enqueue the key again.
        box.leave()
        handler(box.value, isDrained)
      },
      onDrain: onDrain
    )
  }

  deinit { core.abandon() }

  /// Adds `element` to the queue, unless its key is already queued.
  ///
  /// Call from any thread. A burst of values wakes a sleeping loop once. During
  /// its delivery a value is no longer queued, so the handler may enqueue its
  /// key again, for a later tick.
  ///
  /// - Complexity: O(1). Allocates an object.
  @discardableResult
  public func enqueue(_ element: Element) -> Outcome {
    switch members.enqueue(element, in: core) {
    case .queued: return .queued
    case .alreadyQueued: return .alreadyQueued
    case .refused: return .refused
    case .closed: return .closed
    case .dropped: return .dropped(element)
    case .replaced(let key, let box):
      guard let oldest = QueueState.claim(key, QueueState.Reference(box: box)) else {
        return .queued
      }
      return .dropped(unsafeDowncast(oldest, to: QueuedValue<Element>.self).value)
    }
  }

  /// Removes the value that is queued with the key of `element`, and returns
  /// whether there was one. Returns false if the queue has no keys.
  ///
  /// Call from any thread. The value is released on that thread.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    members.remove(like: element, from: core)
  }

  /// Removes all values, and returns their number.
  ///
  /// Call from any thread. The values are released on that thread.
  ///
  /// - Complexity: O(n), outside the lock.
  @discardableResult
  public func removeAll() -> Int { members.removeAll(from: core) }

  /// The number of queued values.
  ///
  /// Call from any thread.
  public var count: Int { core.count }

  /// The number of values dropped because the queue was full.
  ///
  /// Call from any thread.
  public var droppedCount: Int { core.ask(orInherited: 0) { $0.droppedCount } }

  /// Delivers all queued values now, regardless of batch size and budget.
  ///
  /// Call on the loop. Does nothing in a forked child process.
  ///
  /// - Complexity: O(n).
  public func flush() {
    core.port.checkThread("RunLoopValueQueue.flush")
    core.flush()
  }

  /// Refuses further values and drops the queued values.
  ///
  /// Call from any thread. The values are released on that thread.
  ///
  /// - Complexity: O(n).
  public func close() { core.close() }
}

// @unchecked: the properties are constant references to objects that any thread
// may use. Values cross threads, so they must be Sendable.
extension RunLoopValueQueue: @unchecked Sendable where Element: Sendable {}

/// A value in a `RunLoopValueQueue`. The queue's elements are these objects.
class QueuedValue<Element> {
  let value: Element

  init(_ value: Element) { self.value = value }

  /// Frees the key, so that it can be queued again. Call from any thread.
  func leave() {}
}

/// Adds and removes the values of a `RunLoopValueQueue`. The base class is for
/// a queue without keys.
class QueueMembers<Element>: @unchecked Sendable {
  // @unchecked: has no state. The derived class has a lock.

  /// Adds `element` to the queue. Call from any thread.
  func enqueue(_ element: Element, in core: QueueCore) -> QueueState.EnqueueAction {
    core.enqueue(QueuedValue(element))
  }

  /// Removes the value that is queued with the key of `element`. Returns
  /// whether there was one. Call from any thread.
  func remove(like element: Element, from core: QueueCore) -> Bool { false }

  /// Removes all values, and returns their number. Call from any thread.
  func removeAll(from core: QueueCore) -> Int { core.removeAll() }
}

/// The keys of the queued values.
final class KeyedQueueMembers<Element, Key: Hashable & Sendable>: QueueMembers<Element>,
  @unchecked Sendable
{
  // @unchecked: `addresses` has a lock, and `key` is constant and Sendable.

  private let key: @Sendable (Element) -> Key
  // The address of the object that is queued with each key. Its lock is taken
  // before the queue's.
  private let addresses = Locked<[Key: UInt]>([:])

  init(_ key: @escaping @Sendable (Element) -> Key) { self.key = key }

  override func enqueue(_ element: Element, in core: QueueCore) -> QueueState.EnqueueAction {
    guard !core.port.isForked else { return .closed }
    let key = key(element)
    let value = KeyedQueuedValue(element, key, self)
    let action = addresses.withLock { addresses in
      if addresses[key] != nil { return QueueState.EnqueueAction.alreadyQueued }
      let action = core.insert(value)
      switch action {
      case .queued, .replaced: addresses[key] = value.address
      case .alreadyQueued, .refused, .dropped, .closed: break
      }
      return action
    }
    core.didInsert(action)
    return action
  }

  override func remove(like element: Element, from core: QueueCore) -> Bool {
    guard !core.port.isForked else { return false }
    let key = key(element)
    let (wasIn, removed) = addresses.withLock { addresses in
      guard let address = addresses.removeValue(forKey: key) else {
        return (wasIn: false, released: AnyObject?.none)
      }
      return core.state.withLock { $0.remove(at: address) }
    }
    // Released without the lock.
    withExtendedLifetime(removed) {}
    return wasIn
  }

  override func removeAll(from core: QueueCore) -> Int {
    guard !core.port.isForked else { return 0 }
    // The keys are freed together with the values, because a `deinit` of a
    // removed value may enqueue another key. Q8.
    var keys: [Key: UInt] = [:]
    var removed = addresses.withLock { addresses in
      swap(&addresses, &keys)
      return core.state.withLock { $0.removeAll() }
    }
    // The keys are released without the lock.
    keys = [:]
    return removed.drop()
  }

  /// Frees `key` if the object at `address` has it. Call from any thread.
  fileprivate func remove(_ key: Key, _ address: UInt) {
    addresses.withLock { addresses in
      if addresses[key] == address { addresses[key] = nil }
    }
  }
}

/// A value that was queued with a key.
private final class KeyedQueuedValue<Element, Key: Hashable & Sendable>: QueuedValue<Element> {
  private let key: Key
  private let members: KeyedQueueMembers<Element, Key>

  init(_ value: Element, _ key: Key, _ members: KeyedQueueMembers<Element, Key>) {
    self.key = key
    self.members = members
    super.init(value)
  }

  // The value was dropped without being delivered. Its address is not reused
  // before this returns.
  deinit { leave() }

  var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  override func leave() { members.remove(key, address) }
}
