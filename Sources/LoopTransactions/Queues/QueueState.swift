/// The elements of a `RunLoopQueue`, without its lock, loop and handler.
///
/// Elements are identified by address. A transition never runs user code: it
/// returns references that must be released, and the caller releases them
/// without the lock.
package struct QueueState {
  /// The elements by address. The payload of an element that is held weakly is
  /// the address of its retained `WeakBox`. The payload of an element that the
  /// queue retains is 0.
  fileprivate typealias Elements = KeyedFIFO<UInt>

  /// The result of enqueueing an element.
  package enum EnqueueAction: Equatable {
    /// The element was added. If `wakes`, the caller must schedule the queue on
    /// its loop.
    case queued(wakes: Bool)
    /// The element was already queued.
    case alreadyQueued
    /// The queue is full and refused the element.
    case refused
    /// The element was added and the oldest element was removed. The values are
    /// the address and the box of the removed element, which is still retained.
    case replaced(UInt, box: UInt)
    /// The queue is full and the new element was dropped.
    case dropped
    /// The queue is closed.
    case closed
  }

  /// The result of trying to end a drain.
  package enum EndAction: Equatable {
    /// Elements are still queued.
    case waiting
    /// The drain ended, and the handler has not been notified.
    case drained
    /// No drain was in progress.
    case none
  }

  /// An element that was removed for delivery.
  package struct DequeuedElement {
    /// The element. The queue's reference now belongs to the caller.
    package let object: AnyObject
    /// Whether this is the last live element. Removing it ends the drain.
    package let isLast: Bool
    /// The next live element, which the caller must release without the lock.
    package var lookahead: AnyObject? = nil
  }

  /// Elements that were removed together and must be dropped.
  package struct RemovedElements {
    fileprivate var list: Elements

    /// Releases the elements, and returns how many were alive.
    package mutating func drop() -> Int {
      var count = 0
      while let entry = list.removeFirst(before: list.mark) {
        if QueueState.claim(entry) != nil { count += 1 }
      }
      list.free()
      return count
    }
  }

  private var list = Elements()
  private let isExclusive: Bool
  private let isWeak: Bool
  private let capacity: QueueCapacity?
  /// Whether each element is queued once and retained, without a limit.
  let isPlain: Bool

  /// Whether a drain is in progress. A drain begins when an element is queued
  /// and the loop is notified. Only the loop ends it.
  package private(set) var isDraining = false

  /// Whether all elements are refused.
  package private(set) var isClosed = false

  /// Whether elements of other threads are refused, because the loop is
  /// closing.
  private var isClosedToOthers = false

  /// The number of elements dropped because the queue was full.
  package private(set) var droppedCount = 0

  package init(isExclusive: Bool, isWeak: Bool, capacity: QueueCapacity?) {
    self.isExclusive = isExclusive
    self.isWeak = isWeak
    self.capacity = capacity
    isPlain = isExclusive && !isWeak && capacity == nil
  }

  /// Frees the memory. The queue must be empty.
  package func free() { list.free() }

  /// The number of queued elements. Includes dead elements that have not been
  /// removed yet.
  package var count: Int { list.count }

  /// The current end of the queue. Elements added later lie behind it.
  package var mark: UInt32 { list.mark }

  private func checkInvariants() {
    assert(
      list.count == 0 || isDraining,
      "QueueState: \(list.count) elements, but no drain is in progress"
    )
    assert(
      capacity.map { list.count <= $0.limit } ?? true,
      "QueueState: \(list.count) elements exceed the capacity"
    )
  }
}

extension QueueState {
  /// Adds `object`, and retains it unless membership is weak. If a live element
  /// was inspected, sets `lookahead` to it. The caller must release `lookahead`
  /// without the lock.
  package mutating func enqueue(
    _ object: AnyObject,
    onLoop: Bool = false,
    lookahead: inout AnyObject?
  ) -> EnqueueAction {
    if isPlain { return enqueuePlain(object, onLoop: onLoop) }
    defer { checkInvariants() }
    guard !isClosed, onLoop || !isClosedToOthers else { return .closed }
    let key = UInt(addressOf: object)
    if isExclusive, !isWeak, !isFull {
      return insertOnce(object, key, Elements.hash(key, 0))
    }
    if isExclusive, isMember(key) { return .alreadyQueued }
    // Removing dead elements from the front may make room.
    if isFull { lookahead = dropDeadInFront() }
    guard isFull else { return insert(object, key) }
    return enqueueWhenFull(object, key)
  }

  /// Adds `object` to a plain queue, which looks at no other element. Inlined,
  /// because it is the whole cost of most enqueues.
  @inline(__always)
  mutating func enqueuePlain(_ object: AnyObject, onLoop: Bool) -> EnqueueAction {
    defer { checkInvariants() }
    guard !isClosed, onLoop || !isClosedToOthers else { return .closed }
    let key = UInt(addressOf: object)
    let hash = Elements.hash(key, 0)
    guard let slot = list.firstFreeSlot(hash: hash) else {
      return list.isInFirstSlot(key, 0, hash: hash) ? .alreadyQueued : insertOnce(object, key, hash)
    }
    KeyedObject.retain(object)
    list.append(key, 0, 0, slot: slot)
    return beginDrain()
  }

  /// Removes the oldest element of a plain queue. Its result has no lookahead,
  /// whose release would cost more than the rest.
  @inline(__always)
  mutating func dequeuePlain(before mark: UInt32) -> (object: AnyObject, isLast: Bool)? {
    defer { checkInvariants() }
    guard let entry = list.removeFirst(before: mark) else { return nil }
    let object = KeyedObject.at(entry.key).takeRetainedValue()
    return (object, list.count == 0 && endDrain() == .drained)
  }

  /// Removes the oldest live element before `mark` and returns it. Returns nil
  /// if no such element exists. Removing the last element ends the drain.
  package mutating func dequeue(before mark: UInt32) -> DequeuedElement? {
    if isPlain {
      return dequeuePlain(before: mark)
        .map { DequeuedElement(object: $0.object, isLast: $0.isLast) }
    }
    defer { checkInvariants() }
    while let entry = list.removeFirst(before: mark) {
      guard let object = Self.claim(entry) else { continue }
      let lookahead = dropDeadInFront()
      return DequeuedElement(object: object, isLast: endDrain() == .drained, lookahead: lookahead)
    }
    return nil
  }

  /// Removes all elements. The caller must drop them without the lock. The
  /// drain continues, because the loop must still learn that the queue is
  /// empty.
  package mutating func removeAll() -> RemovedElements {
    defer { checkInvariants() }
    defer { list = Elements(from: list.mark) }
    return RemovedElements(list: list)
  }

  /// Ends the drain if the queue is empty.
  ///
  /// Call on the loop, which then notifies the user. Returns `drained` once per
  /// drain.
  package mutating func endDrain() -> EndAction {
    defer { checkInvariants() }
    guard list.count == 0 else { return .waiting }
    list.resetIfEmpty()
    guard isDraining else { return .none }
    isDraining = false
    return .drained
  }

  /// Removes `object`, and returns it if it was queued. The caller must release
  /// the result without the lock.
  package mutating func remove(_ object: AnyObject) -> AnyObject? {
    let key = UInt(addressOf: object)
    if isExclusive { return remove(at: key) }
    defer { checkInvariants() }
    return list.removeFirst { $0.key == key && Self.isAlive($0.payload) }.flatMap(Self.claim)
  }

  /// Removes the element at `address` from an exclusive queue, and returns it if
  /// it is alive. The caller must release the result without the lock.
  mutating func remove(at address: UInt) -> AnyObject? {
    defer { checkInvariants() }
    guard let index = list.find(address, 0) else { return nil }
    return Self.claim(address, box: list.remove(index))
  }

  /// Refuses further elements.
  package mutating func close() { isClosed = true }

  /// Refuses further elements from threads other than the loop's.
  package mutating func closeToOthers() { isClosedToOthers = true }
}

extension QueueState {
  /// Whether the object at `key` is queued. Removes an entry whose object died
  /// and whose address another object now has.
  private mutating func isMember(_ key: UInt) -> Bool {
    guard let index = list.find(key, 0) else { return false }
    if Self.isAlive(list[index]) { return true }
    _ = Self.claim(key, box: list.remove(index))
    return false
  }

  @inline(never)
  private mutating func insertOnce(
    _ object: AnyObject,
    _ key: UInt,
    _ hash: UInt64
  ) -> EnqueueAction {
    guard list.appendOnce(key, 0, 0, hash: hash) else { return .alreadyQueued }
    KeyedObject.retain(object)
    return beginDrain()
  }

  /// The result for an element that was added.
  @inline(__always)
  private mutating func beginDrain() -> EnqueueAction {
    defer { isDraining = true }
    return .queued(wakes: !isDraining)
  }

  private mutating func insert(_ object: AnyObject, _ key: UInt) -> EnqueueAction {
    let box = isWeak ? WeakBox.retained(object) : 0
    if !isWeak { KeyedObject.retain(object) }
    if isExclusive { list.append(key, 0, box) } else { list.appendUnindexed(key, box) }
    return beginDrain()
  }

  private var isFull: Bool { capacity.map { list.count >= $0.limit } ?? false }

  private mutating func enqueueWhenFull(_ object: AnyObject, _ key: UInt) -> EnqueueAction {
    switch capacity?.whenFull {
    case .refuse, nil: return .refused
    case .dropNewest:
      droppedCount += 1
      return .dropped
    case .dropOldest:
      guard let oldest = list.removeFirst(before: list.mark) else { return .refused }
      droppedCount += 1
      _ = insert(object, key)
      return .replaced(oldest.key, box: oldest.payload)
    }
  }

  /// Removes dead elements from the front. Returns the first live element, or
  /// nil if all elements were dead.
  private mutating func dropDeadInFront() -> AnyObject? {
    guard isWeak else { return nil }
    while let entry = list.oldest() {
      if let object = WeakBox.object(entry.payload) { return object }
      _ = list.removeFirst(before: list.mark).map(Self.claim)
    }
    return nil
  }

  private static func isAlive(_ box: UInt) -> Bool { box == 0 || WeakBox.object(box) != nil }

  fileprivate static func claim(_ entry: Elements.Entry) -> AnyObject? {
    claim(entry.key, box: entry.payload)
  }

  /// Removes the queue's reference to the element at `key` and returns the
  /// element, or nil if it died.
  package static func claim(_ key: UInt, box: UInt) -> AnyObject? {
    box != 0 ? WeakBox.claim(box) : KeyedObject.at(key).takeRetainedValue()
  }
}

/// A heap object with a weak reference, identified by its address.
final class WeakBox {
  private weak var object: AnyObject?

  private init(_ object: AnyObject) { self.object = object }

  /// Creates a box, retains it, and returns its address.
  static func retained(_ object: AnyObject) -> UInt {
    UInt(retaining: WeakBox(object))
  }

  /// The object of the box at `address`, or nil if it died.
  static func object(_ address: UInt) -> AnyObject? { at(address)?.takeUnretainedValue().object }

  /// Returns the object of the box at `address`, and releases the box.
  static func claim(_ address: UInt) -> AnyObject? { at(address)?.takeRetainedValue().object }

  private static func at(_ address: UInt) -> Unmanaged<WeakBox>? {
    .ifAny(at: address)
  }
}
