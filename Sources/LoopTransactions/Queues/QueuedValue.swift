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
    // removed value may enqueue another key.
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
