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
  public typealias Outcome = QueueOutcome<Element>

  private let core: QueueCore
  private let members: QueueMembers<Element>

  /// Creates a queue that `loop` drains. A value is delivered as often as it is
  /// enqueued.
  ///
  /// Call on the loop. `RunLoopQueue` documents the parameters.
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
    self.init(
      on: loop,
      members: QueueMembers(),
      batchSize: batchSize,
      order: order,
      capacity: capacity,
      place: SourcePlace(fileID, line),
      onDrain: onDrain,
      handler: handler
    )
  }

  /// Creates a queue that `loop` drains, and that holds one value for each key.
  ///
  /// Call on the loop. `key` returns the key of a value. It is called on the
  /// thread that enqueues or removes the value. Keys are compared and released
  /// on any thread, with the queue locked, so they must not use the queue.
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
    self.init(
      on: loop,
      members: KeyedQueueMembers(key),
      batchSize: batchSize,
      order: order,
      capacity: capacity,
      place: SourcePlace(fileID, line),
      onDrain: onDrain,
      handler: handler
    )
  }

  private init(
    on loop: EventLoop,
    members: QueueMembers<Element>,
    batchSize: BatchSize,
    order: Int,
    capacity: QueueCapacity?,
    place: SourcePlace,
    onDrain: (() -> Void)?,
    handler: @escaping (Element, Bool) -> Void
  ) {
    self.members = members
    core = QueueCore(
      for: "RunLoopValueQueue.init",
      on: loop,
      state: QueueState(isExclusive: true, isWeak: false, capacity: capacity),
      batchSize: batchSize,
      order: order,
      place: place,
      onDrain: onDrain
    ) { box, isDrained in
      let box = unsafeDowncast(box, to: QueuedValue<Element>.self)
      // Removed first, so that the handler can enqueue the key again.
      box.leave()
      handler(box.value, isDrained)
    }
  }

  deinit { core.abandon() }

  /// Adds `element` to the queue, unless its key is already queued.
  ///
  /// Call from any thread. As `RunLoopQueue.enqueue(_:)`, with keys in the place
  /// of elements.
  ///
  /// - Complexity: O(1). Allocates an object.
  @discardableResult
  public func enqueue(_ element: Element) -> Outcome {
    QueueOutcome(members.enqueue(element, in: core), new: element) { oldest in
      // Never nil, because the queue retains its values.
      oldest.map { unsafeDowncast($0, to: QueuedValue<Element>.self).value } ?? element
    }
  }

  /// Removes the value that is queued with the key of `element`, and returns
  /// whether there was one. Returns false if the queue has no keys.
  ///
  /// Call from any thread. The value is released on that thread.
  ///
  /// - Complexity: O(1).
  @discardableResult
  public func remove(_ element: Element) -> Bool { members.remove(like: element, from: core) }

  /// Removes all values, as `RunLoopQueue.removeAll()` does, and returns their
  /// number.
  @discardableResult
  public func removeAll() -> Int { members.removeAll(from: core) }

  /// The number of queued values. Call from any thread.
  public var count: Int { core.count }

  /// The number of values dropped because the queue was full. Call from any
  /// thread.
  public var droppedCount: Int { core.droppedCount }

  /// Delivers all queued values now, as `RunLoopQueue.flush()` does.
  public func flush() { core.flush(for: "RunLoopValueQueue.flush") }

  /// Refuses further values and drops the queued values, as
  /// `RunLoopQueue.close()` does.
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
    let value = KeyedQueuedValue(element, key: key, in: self)
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
    // Released without the lock.
    let removed = addresses.withLock { addresses -> AnyObject? in
      guard let address = addresses.removeValue(forKey: key) else { return nil }
      return core.state.withLock { $0.remove(at: address) }
    }
    return removed != nil
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
  fileprivate func remove(_ key: Key, ofObjectAt address: UInt) {
    addresses.withLock { addresses in
      if addresses[key] == address { addresses[key] = nil }
    }
  }
}

/// A value that was queued with a key.
private final class KeyedQueuedValue<Element, Key: Hashable & Sendable>: QueuedValue<Element> {
  private let key: Key
  private let members: KeyedQueueMembers<Element, Key>

  init(_ value: Element, key: Key, in members: KeyedQueueMembers<Element, Key>) {
    self.key = key
    self.members = members
    super.init(value)
  }

  // The value was dropped without being delivered. Its address is not reused
  // before this returns.
  deinit { leave() }

  var address: UInt { UInt(addressOf: self) }

  override func leave() { members.remove(key, ofObjectAt: address) }
}
