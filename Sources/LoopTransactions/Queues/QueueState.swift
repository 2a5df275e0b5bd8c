/// What a `RunLoopQueue` holds, apart from its lock, its loop and its handler.
///
/// Elements are told by address. A transition never calls user code: what has to
/// be released is handed out, to be released without the lock.
package struct QueueState {
  /// How an element is kept.
  package struct Reference: BitwiseCopyable {
    /// The retained `WeakBox` of an element held weakly; 0: it is retained.
    package var box: UInt

    /// What is kept in `box`, or by the queue itself.
    package init(box: UInt = 0) { self.box = box }
  }

  /// What an element was enqueued to.
  package enum EnqueueAction: Equatable {
    /// It is in; if `wakes`, the loop has to be told.
    case queued(wakes: Bool)
    /// It waits already.
    case alreadyQueued
    /// The queue is full, and the element was not taken.
    case refused
    /// It is in, and the one at this address, still retained, is out.
    case replaced(UInt, box: UInt)
    /// The queue is full, and the element is the one that is dropped.
    case dropped
    /// The queue is closed.
    case closed
  }

  /// What the end of a drain was tried with.
  package enum EndAction: Equatable {
    /// Something waits still.
    case waiting
    /// The drain is over, and nobody was told.
    case drained
    /// There was no drain under way.
    case none
  }

  /// An element that was taken out.
  package struct DequeuedElement {
    /// The element, which was retained by the queue and is now the caller's.
    package let object: AnyObject
    /// Whether nothing live waits behind it: the drain is over.
    package let isLast: Bool
    /// An element that was looked at, to be released without the lock.
    package var lookahead: AnyObject?
  }

  /// Elements that were taken out together, to be dropped.
  package struct RemovedElements {
    fileprivate var list: KeyedFIFO<Reference>

    /// Drops them; returns how many were alive.
    package mutating func drop() -> Int {
      var count = 0
      while let entry = list.removeFirst(before: list.mark) {
        if QueueState.claim(entry) != nil { count += 1 }
      }
      list.free()
      return count
    }
  }

  private var list = KeyedFIFO<Reference>()
  private let isExclusive: Bool
  private let isWeak: Bool
  private let capacity: QueueCapacity?

  /// Whether a drain is under way: the loop knows, or is being told, that
  /// something waits. The loop alone ends it.
  package private(set) var isDraining = false

  /// Whether nothing is accepted any more.
  package private(set) var isClosed = false

  /// Whether only the loop's own thread may still add elements: it closes.
  private var isClosedToOthers = false

  /// How many elements were dropped for want of room.
  package private(set) var droppedCount = 0

  package init(isExclusive: Bool, isWeak: Bool, capacity: QueueCapacity?) {
    self.isExclusive = isExclusive
    self.isWeak = isWeak
    self.capacity = capacity
  }

  /// Gives the memory back; nothing may be left in the queue.
  package func free() { list.free() }

  /// How many elements wait, those that died since included.
  package var count: Int { list.count }

  /// A point in the queue: what is added from now on lies behind it.
  package var mark: UInt32 { list.mark }

  private func checkInvariants() {
    assert(list.count == 0 || isDraining, "QueueState: the loop knows of all that waits")
    assert(capacity.map { list.count <= $0.limit } ?? true, "QueueState: the capacity is kept")
  }
}

extension QueueState {
  /// Adds `object`, and retains it unless it is held weakly. `lookahead` becomes
  /// an element that was looked at, if any, to be released without the lock.
  package mutating func enqueue(
    _ object: AnyObject,
    onLoop: Bool = false,
    lookahead: inout AnyObject?
  ) -> EnqueueAction {
    defer { checkInvariants() }
    guard !isClosed, onLoop || !isClosedToOthers else { return .closed }
    let key = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    if isExclusive, isMember(key) { return .alreadyQueued }
    // The dead in front make room before anything is refused or dropped.
    if isFull { lookahead = dropDeadInFront() }
    guard isFull else { return .queued(wakes: insert(object, key)) }
    return enqueueWhenFull(object, key)
  }

  /// Takes the oldest live element that lies before `mark`, for the loop to hand
  /// over; nil if there is none. With the last one the drain is over.
  package mutating func dequeue(before mark: UInt32) -> DequeuedElement? {
    defer { checkInvariants() }
    guard let object = removeFirst(before: mark) else { return nil }
    let lookahead = dropDeadInFront()
    return DequeuedElement(object: object, isLast: endDrain() == .drained, lookahead: lookahead)
  }

  /// Takes everything out, to be dropped without the lock. The drain goes on: the
  /// loop is still to be told that nothing is left.
  package mutating func removeAll() -> RemovedElements {
    defer { checkInvariants() }
    defer { list = KeyedFIFO(from: list.mark) }
    return RemovedElements(list: list)
  }

  private mutating func removeFirst(before mark: UInt32) -> AnyObject? {
    while let entry = list.removeFirst(before: mark) {
      if let object = Self.claim(entry) { return object }
    }
    return nil
  }

  /// Ends the drain if nothing is left.
  ///
  /// Call on the loop, which then tells of it: this returns `drained` once.
  package mutating func endDrain() -> EndAction {
    defer { checkInvariants() }
    guard list.count == 0 else { return .waiting }
    list.settle()
    guard isDraining else { return .none }
    isDraining = false
    return .drained
  }

  /// Takes `object` out; the one that was in, if any, is the caller's.
  package mutating func remove(_ object: AnyObject) -> (wasIn: Bool, released: AnyObject?) {
    defer { checkInvariants() }
    let key = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    if isExclusive {
      guard isMember(key), let index = list.find(key, 0) else { return (false, nil) }
      return (true, Self.claim(key, list.remove(index)))
    }
    guard let entry = list.removeFirst(where: { $0.key == key && Self.isAlive($0.payload) })
    else { return (false, nil) }
    return (true, Self.claim(entry))
  }

  /// Refuses elements from now on.
  package mutating func close() { isClosed = true }

  /// Refuses elements of other threads than the loop's from now on.
  package mutating func closeToOthers() { isClosedToOthers = true }
}

extension QueueState {
  /// Whether the object at `key` waits. One that died and whose address was
  /// taken by another does not: its entry is dropped.
  private mutating func isMember(_ key: UInt) -> Bool {
    guard let index = list.find(key, 0) else { return false }
    if Self.isAlive(list[index]) { return true }
    _ = Self.claim(key, list.remove(index))
    return false
  }

  private mutating func insert(_ object: AnyObject, _ key: UInt) -> Bool {
    let reference = isWeak ? Reference(box: WeakBox.retained(object)) : Reference()
    if !isWeak { _ = Unmanaged.passRetained(object) }
    if isExclusive { list.append(key, 0, reference) } else { list.appendUnindexed(key, reference) }
    defer { isDraining = true }
    return !isDraining
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
      return .replaced(oldest.key, box: oldest.payload.box)
    }
  }

  /// Drops the dead from the front; returns the live one that is there then.
  private mutating func dropDeadInFront() -> AnyObject? {
    guard isWeak else { return nil }
    while let entry = list.oldest() {
      if let object = WeakBox.object(entry.payload.box) { return object }
      _ = list.removeFirst(before: list.mark).map(Self.claim)
    }
    return nil
  }

  private static func isAlive(_ reference: Reference) -> Bool {
    reference.box == 0 || WeakBox.object(reference.box) != nil
  }

  fileprivate static func claim(_ entry: KeyedFIFO<Reference>.Entry) -> AnyObject? {
    claim(entry.key, entry.payload)
  }

  /// The element at `key`, which the queue gives up; nil if it died.
  package static func claim(_ key: UInt, _ reference: Reference) -> AnyObject? {
    if reference.box != 0 { return WeakBox.claim(reference.box) }
    return KeyedObject.at(key).takeRetainedValue()
  }
}

/// A weak reference in an object of its own, known by its address.
final class WeakBox {
  private weak var object: AnyObject?

  private init(_ object: AnyObject) { self.object = object }

  /// The address of a new box, retained.
  static func retained(_ object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passRetained(WeakBox(object)).toOpaque())
  }

  /// The object of the box at `address`, if it lives.
  static func object(_ address: UInt) -> AnyObject? { at(address)?.takeUnretainedValue().object }

  /// The object as above; the box is released.
  static func claim(_ address: UInt) -> AnyObject? { at(address)?.takeRetainedValue().object }

  private static func at(_ address: UInt) -> Unmanaged<WeakBox>? {
    UnsafeRawPointer(bitPattern: address).map { .fromOpaque($0) }
  }
}
