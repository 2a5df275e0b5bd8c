import LoopTransactions

/// A priority queue. Higher priorities come first, in FIFO order within a
/// priority.
///
/// Does not retain its elements. An element must remove itself before it is
/// deallocated.
///
/// The queue has 256 lists, one per priority, so nothing is sorted. Every
/// operation except listing all elements takes constant time.
struct Backlog<Element: AnyObject> {
  /// The position of an element in the queue.
  struct Place: Hashable {
    fileprivate let index: Int
  }

  private struct Slot {
    // Unowned: an element removes itself before it is deallocated.
    unowned var element: Element?
    var level: Int
    var number: UInt64
    // Links within the priority's list, or within the free list. -1 means no
    // link.
    var next: Int
    var previous: Int
  }

  private var slots: [Slot] = []
  private var free = -1
  private var firsts = [Int](repeating: -1, count: 256)
  private var lasts = [Int](repeating: -1, count: 256)
  // One bit per priority, set if its list is not empty.
  private var filled: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  /// The number of queued elements.
  private(set) var count = 0

  /// Creates an empty queue.
  init() {}

  var isEmpty: Bool { count == 0 }

  /// The element with the highest priority, or nil if the queue is empty.
  ///
  /// - Complexity: O(1).
  var first: Element? { highest.flatMap { slots[firsts[$0]].element } }

  /// The priority level and the number of `first`, for comparing it with the
  /// first element of another queue.
  var firstRank: (level: Int, number: UInt64)? {
    highest.map { ($0, slots[firsts[$0]].number) }
  }

  /// The element at `place`, which must be in use.
  subscript(place: Place) -> Element? { slots[place.index].element }

  /// Appends `element` to the list of `priority`. `number` is the element's
  /// arrival number, which orders elements across queues.
  ///
  /// - Complexity: Amortised O(1).
  mutating func append(
    _ element: Element,
    _ priority: OperationPriority,
    number: UInt64 = 0
  ) -> Place {
    let level = Int(priority.rawValue) + 128
    let slot = Slot(
      element: element,
      level: level,
      number: number,
      next: -1,
      previous: lasts[level]
    )
    let index = insert(slot)
    if slot.previous < 0 { firsts[level] = index } else { slots[slot.previous].next = index }
    lasts[level] = index
    mark(level)
    count += 1
    return Place(index: index)
  }

  /// Removes the element at `place`, which must be in use.
  ///
  /// - Complexity: O(1).
  mutating func remove(_ place: Place) {
    let slot = slots[place.index]
    // Does not access the element, because its deinit may be running.
    assert(slot.level >= 0, "Backlog.remove: place \(place.index) is not in use")
    if slot.previous < 0 {
      firsts[slot.level] = slot.next
    } else {
      slots[slot.previous].next = slot.next
    }
    if slot.next < 0 {
      lasts[slot.level] = slot.previous
    } else {
      slots[slot.next].previous = slot.previous
    }
    mark(slot.level)
    slots[place.index].element = nil
    (slots[place.index].level, slots[place.index].next) = (-1, free)
    free = place.index
    count -= 1
  }

  /// All queued elements, in order.
  ///
  /// - Complexity: O(n).
  var elements: [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for level in stride(from: 255, through: 0, by: -1) {
      var index = firsts[level]
      while index >= 0 {
        if let element = slots[index].element { elements.append(element) }
        index = slots[index].next
      }
    }
    return elements
  }

  private mutating func insert(_ slot: Slot) -> Int {
    guard free >= 0 else {
      slots.append(slot)
      return slots.count - 1
    }
    let index = free
    free = slots[index].next
    slots[index] = slot
    return index
  }

  // The highest priority level that has elements.
  private var highest: Int? {
    if filled.3 != 0 { return 255 - filled.3.leadingZeroBitCount }
    if filled.2 != 0 { return 191 - filled.2.leadingZeroBitCount }
    if filled.1 != 0 { return 127 - filled.1.leadingZeroBitCount }
    if filled.0 != 0 { return 63 - filled.0.leadingZeroBitCount }
    return nil
  }

  private mutating func mark(_ level: Int) {
    let (bit, isFilled) = (UInt64(1) << UInt64(level & 63), firsts[level] >= 0)
    func set(_ word: inout UInt64) { if isFilled { word |= bit } else { word &= ~bit } }
    switch level >> 6 {
    case 0: set(&filled.0)
    case 1: set(&filled.1)
    case 2: set(&filled.2)
    default: set(&filled.3)
    }
  }
}
