/// An element of a `DeadlineHeap`.
package protocol DeadlineNode: AnyObject {
  /// The element's position in its heap, or -1 outside a heap. Only the heap
  /// changes it.
  var heapIndex: Int { get set }
}

/// Elements in the order of their deadlines. Elements with equal deadlines are
/// in the order in which they were added.
///
/// A heap with four children per element, in a flat array. Each element knows
/// its position, so it can be removed without a search. Elements are not
/// retained.
///
/// During a pass, new elements wait behind the heap, in the same array. A pass
/// therefore removes only elements that were added before it began, and ends
/// even if each element adds another that is already due.
package struct DeadlineHeap<Node: DeadlineNode> {
  private struct Entry {
    let deadline: UInt64
    // The number of elements that were added before this one.
    let turn: UInt64
    let node: Unmanaged<Node>

    func precedes(_ other: Entry) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : turn < other.turn
    }
  }

  private var entries: UnsafeMutablePointer<Entry>?
  /// The number of elements for which there is memory.
  package private(set) var capacity = 0
  // The heap is `0..<end`. The elements that wait are `end..<count`.
  private var end = 0
  /// The number of elements.
  package private(set) var count = 0
  private var turns: UInt64 = 0
  /// Whether a pass is in progress.
  package private(set) var isInPass = false

  // 64 elements take 1.5 KiB, which the heap keeps. Not measured.
  private static var minCapacity: Int { 64 }

  /// Creates an empty heap, which allocates nothing.
  package init() {}

  /// Frees the memory. The heap must be empty, or not be used any more.
  package mutating func free() {
    entries?.deallocate()
    entries = nil
    capacity = 0
  }

  /// The earliest deadline, or nil if there is none. Ignores the elements that
  /// wait for the end of a pass.
  package var firstDeadline: UInt64? {
    guard end > 0, let entries else { return nil }
    return entries[0].deadline
  }

  /// Adds `node`, which must not be in a heap. Returns whether it is the first
  /// element now. During a pass, `node` is not in the heap before `endPass()`.
  ///
  /// - Complexity: O(log n), amortised.
  package mutating func add(_ node: Node, at deadline: UInt64) -> Bool {
    assert(node.heapIndex == -1, "DeadlineHeap.add: the element is in a heap")
    if _slowPath(count == capacity) { resize(to: max(capacity * 2, Self.minCapacity)) }
    let entry = Entry(deadline: deadline, turn: turns, node: .passUnretained(node))
    turns &+= 1
    let index = count
    count += 1
    put(entry, at: index)
    if isInPass { return false }
    end = count
    return siftUp(index) == 0
  }

  /// Removes `node`, which must be in this heap. Returns whether it was the
  /// first element.
  ///
  /// - Complexity: O(log n), amortised.
  package mutating func remove(_ node: Node) -> Bool {
    let index = node.heapIndex
    assert(index >= 0 && index < count, "DeadlineHeap.remove: the element is not in the heap")
    remove(at: index)
    return index == 0
  }

  /// Removes the first element and returns it, unless its deadline is after
  /// `time`.
  ///
  /// - Complexity: O(log n), amortised.
  package mutating func removeFirst(dueAt time: UInt64) -> Node? {
    guard end > 0, let first = entries?[0], first.deadline <= time else { return nil }
    remove(at: 0)
    return first.node.takeUnretainedValue()
  }

  /// Makes the elements that are added from now on wait until `endPass()`.
  package mutating func beginPass() { isInPass = true }

  /// Moves the elements that waited into the heap.
  ///
  /// - Complexity: O(k log n) for k elements that waited.
  package mutating func endPass() {
    isInPass = false
    while end < count {
      end += 1
      _ = siftUp(end - 1)
    }
  }
}

extension DeadlineHeap {
  private mutating func remove(at index: Int) {
    let entries = entries.unsafelyUnwrapped
    entries[index].node._withUnsafeGuaranteedRef { $0.heapIndex = -1 }
    var hole = index
    if index < end {
      end -= 1
      hole = end
      if index < end {
        put(entries[end], at: index)
        if siftUp(index) == index { siftDown(index) }
      }
    }
    count -= 1
    // One of the elements that wait fills the hole.
    if hole < count { put(entries[count], at: hole) }
    // A quarter, so that adding and removing do not resize in turn.
    if _slowPath(count < capacity / 4 && capacity > Self.minCapacity) { resize(to: capacity / 2) }
  }

  private func put(_ entry: Entry, at index: Int) {
    (entries.unsafelyUnwrapped + index).initialize(to: entry)
    entry.node._withUnsafeGuaranteedRef { $0.heapIndex = index }
  }

  /// Moves the entry at `index` towards the root, past all later ones. Returns
  /// its new index.
  private func siftUp(_ start: Int) -> Int {
    let entries = entries.unsafelyUnwrapped
    let entry = entries[start]
    var index = start
    while index > 0 {
      let parent = (index - 1) / 4
      guard entry.precedes(entries[parent]) else { break }
      put(entries[parent], at: index)
      index = parent
    }
    if index != start { put(entry, at: index) }
    return index
  }

  /// Moves the entry at `start` away from the root, past all earlier ones.
  private func siftDown(_ start: Int) {
    let entries = entries.unsafelyUnwrapped
    let entry = entries[start]
    var index = start
    while true {
      let first = index * 4 + 1
      guard first < end else { break }
      var least = first
      for child in first + 1..<max(min(first + 4, end), first + 1)
      where entries[child].precedes(entries[least]) {
        least = child
      }
      guard entries[least].precedes(entry) else { break }
      put(entries[least], at: index)
      index = least
    }
    if index != start { put(entry, at: index) }
  }

  @inline(never)
  private mutating func resize(to capacity: Int) {
    let old = entries
    let new = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
    if let old { new.moveInitialize(from: old, count: count) }
    old?.deallocate()
    entries = new
    self.capacity = capacity
  }
}
