/// Entries in the order they were added, each found by its key in O(1).
///
/// A flat array, and beside it an open-addressing table of sequence numbers, each
/// of which tells the place of its entry. An entry that leaves is not taken out of
/// the table: its number is then below `head`, or its key is 0. What the table
/// holds from before the list was last empty counts as free, so a list that empties
/// each tick never clears it. Finding touches one slot and its entry; adding one
/// slot, as a rule; taking the first none. I7.
///
/// Not for weak or owned keys: a key is an address, and only compared.
package struct KeyedFIFO<Payload: BitwiseCopyable> {
  /// One entry. In the list, a key of 0 marks one that was removed.
  package struct Entry {
    package fileprivate(set) var key: UInt
    package fileprivate(set) var tag: UInt32
    // Whether the table knows it.
    fileprivate let isIndexed: Bool
    package fileprivate(set) var payload: Payload

    /// An entry that is in no list, or not to be found in it by its key.
    init(key: UInt, tag: UInt32, payload: Payload) {
      self.init(key: key, tag: tag, isIndexed: false, payload: payload)
    }

    fileprivate init(key: UInt, tag: UInt32, isIndexed: Bool, payload: Payload) {
      self.key = key
      self.tag = tag
      self.isIndexed = isIndexed
      self.payload = payload
    }
  }

  private var entries: UnsafeMutablePointer<Entry>
  // Numbers of entries.
  private var slots: UnsafeMutablePointer<UInt32>
  /// How many entries fit in the memory at hand.
  package private(set) var capacity: Int
  private var mask: Int
  private var shift: UInt64

  // Entries lie at `first ..< end` of the array; `head` and `tail` are the
  // numbers of the same places, `epoch` that of the oldest slot in use, and
  // `born` that at which the table was made.
  private var first = 0
  private var end = 0
  private var head: UInt32
  private var tail: UInt32
  private var epoch: UInt32
  private var born: UInt32

  /// A mark that stays between the same entries, also when they get other numbers.
  package var boundary: UInt32 = 0

  /// How many entries there are, those removed not counted.
  package private(set) var count = 0

  // 64 entries and 256 slots are 3 KiB. Guess.
  private static var minCapacity: Int { 64 }
  // Past 8,192 entries, 384 KiB, memory is given back when the list
  // empties: a burst leaves nothing behind. T10.
  private static var maxRetainedCapacity: Int { 8192 }

  // Numbers return after 2^32: slots are made anew before one could be taken for
  // another's.
  private static var maxTableAge: UInt32 { 1 << 31 }

  // A quarter full at most. Objects that were allocated in rows have addresses at
  // even distances, which spread evenly; two rows that fall on each other then
  // still leave every other slot free. At half, they made runs of 100 and more.
  private static var slotsPerEntry: Int { 4 }

  /// An empty list, with memory until `free()`, that counts from `number`.
  package init(from number: UInt32 = 1) {
    (head, tail, epoch, born) = (number, number, number, number)
    (entries, slots, capacity, mask, shift) = Self.allocate(Self.minCapacity, free: number &- 1)
  }

  /// Gives the memory back; the list can not be used any more.
  package func free() {
    entries.deallocate()
    slots.deallocate()
  }

  private static func allocate(
    _ capacity: Int,
    free number: UInt32
  ) -> (UnsafeMutablePointer<Entry>, UnsafeMutablePointer<UInt32>, Int, Int, UInt64) {
    let slotCount = capacity * slotsPerEntry
    let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: slotCount)
    slots.initialize(repeating: number, count: slotCount)
    return (
      .allocate(capacity: capacity), slots, capacity, slotCount - 1,
      UInt64(UInt64.bitWidth - slotCount.trailingZeroBitCount)
    )
  }
}

// Finding.
extension KeyedFIFO {
  /// Where an entry was found; good until the list changes.
  package struct Index {
    fileprivate var offset: Int
    /// The entry's tag.
    package let tag: UInt32
  }

  @inline(__always)
  private func firstSlot(_ key: UInt, _ tag: UInt32) -> Int {
    // Fibonacci hashing: the high bits of the product are well mixed. The tag's
    // highest bit is left out, so that `retag` may change it.
    let mixed = (UInt64(key) ^ (UInt64(tag) << 33)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> shift)
  }

  /// The place of the entry with `key` and `tag`, or nil.
  @inline(__always)
  package func find(_ key: UInt, _ tag: UInt32) -> Index? {
    var slot = firstSlot(key, tag)
    while isOccupied(slot) {
      if let index = index(at: slot), entries[index].key == key, entries[index].tag == tag {
        return Index(offset: index, tag: tag)
      }
      slot = (slot &+ 1) & mask
    }
    return nil
  }

  /// The slot that an entry with `key` and `tag` would take; nil if there is
  /// one. Good until the list changes.
  @inline(__always)
  func freeSlot(_ key: UInt, _ tag: UInt32) -> Int? {
    var slot = firstSlot(key, tag)
    while isOccupied(slot) {
      if let index = index(at: slot), entries[index].key == key, entries[index].tag == tag {
        return nil
      }
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  @inline(__always)
  private func isOccupied(_ slot: Int) -> Bool { slots[slot] &- epoch < tail &- epoch }

  /// Where the entry lies whose number is at `slot`; nil if it was taken.
  @inline(__always)
  private func index(at slot: Int) -> Int? {
    let place = slots[slot] &- head
    return place < tail &- head ? first &+ Int(place) : nil
  }

  /// The payload of the entry at `index`.
  package subscript(index: Index) -> Payload {
    get { entries[index.offset].payload }
    nonmutating set { entries[index.offset].payload = newValue }
  }
}

// Changing.
extension KeyedFIFO {
  /// Adds an entry at the end; none with the same key and tag may be present.
  @inline(__always)
  package mutating func append(_ key: UInt, _ tag: UInt32, _ payload: Payload) {
    makeRoom()
    store(key, tag, payload, slot: nextFree(key, tag))
  }

  /// Adds an entry at the end, whose slot `freeSlot` told just now.
  @inline(__always)
  mutating func append(_ key: UInt, _ tag: UInt32, _ payload: Payload, slot: Int) {
    if _slowPath(isFull) { return appendSlowly(key, tag, payload) }
    store(key, tag, payload, slot: slot)
  }

  @inline(never)
  private mutating func appendSlowly(_ key: UInt, _ tag: UInt32, _ payload: Payload) {
    append(key, tag, payload)
  }

  @inline(__always)
  private func nextFree(_ key: UInt, _ tag: UInt32) -> Int {
    var slot = firstSlot(key, tag)
    while isOccupied(slot) { slot = (slot &+ 1) & mask }
    return slot
  }

  @inline(__always)
  private mutating func store(_ key: UInt, _ tag: UInt32, _ payload: Payload, slot: Int) {
    slots[slot] = tail
    store(Entry(key: key, tag: tag, isIndexed: true, payload: payload))
  }

  /// Adds an entry at the end that can not be found by its key.
  package mutating func appendUnindexed(_ key: UInt, _ payload: Payload) {
    makeRoom()
    store(Entry(key: key, tag: 0, payload: payload))
  }

  /// Gives the entry at `index` a tag that differs in the highest bit.
  package func retag(_ index: Index, _ tag: UInt32) {
    assert((index.tag ^ tag) << 1 == 0, "KeyedFIFO: a tag keeps its low 31 bits")
    entries[index.offset].tag = tag
  }

  /// Takes the entry at `index` out.
  package mutating func remove(_ index: Index) -> Payload {
    removeEntry(index.offset)
    return entries[index.offset].payload
  }

  /// A point in the list: what is added from now on lies behind it. It may come
  /// to lie before older entries, where entries behind it are removed.
  package var mark: UInt32 { tail }

  /// The oldest entry, which stays. Passes over those that were removed, for good.
  package mutating func oldest() -> Entry? {
    while head != tail {
      if entries[first].key != 0 { return entries[first] }
      first &+= 1
      head &+= 1
    }
    return nil
  }

  /// Whether anything may be left that lies before `mark`.
  package func hasEntries(before mark: UInt32) -> Bool {
    count > 0 && Int32(bitPattern: mark &- head) > 0
  }

  /// Takes the first entry that lies before `mark`, or nil.
  @inline(__always)
  package mutating func removeFirst(before mark: UInt32) -> Entry? {
    // Signed: a mark that was passed already has nothing before it.
    while Int32(bitPattern: mark &- head) > 0, head != tail {
      let entry = entries[first]
      first &+= 1
      head &+= 1
      guard entry.key != 0 else { continue }
      count &-= 1
      return entry
    }
    return nil
  }

  /// Takes the first entry that `matches`, looking at all. O(n).
  package mutating func removeFirst(where matches: (Entry) -> Bool) -> Entry? {
    for index in first..<end where entries[index].key != 0 && matches(entries[index]) {
      let entry = entries[index]
      removeEntry(index)
      return entry
    }
    return nil
  }

  /// Begins anew where nothing is left: all slots are free, and what a burst
  /// took is given back.
  @inline(__always)
  package mutating func settle() {
    guard count == 0 else { return }
    first = 0
    end = 0
    head = tail
    epoch = tail
    if _slowPath(capacity > Self.maxRetainedCapacity || tail &- born > Self.maxTableAge) {
      rebuild(min(capacity, Self.minCapacity))
    }
  }

  @inline(__always)
  private mutating func store(_ entry: Entry) {
    (entries + end).initialize(to: entry)
    end &+= 1
    tail &+= 1
    count &+= 1
  }

  private mutating func removeEntry(_ index: Int) {
    entries[index].key = 0
    count -= 1
  }

  // Each number since `epoch` may hold a slot; most of them stay free, so that a
  // search ends soon.
  @inline(__always)
  private var isFull: Bool { end == capacity || Int(tail &- epoch) >= capacity }

  @inline(__always)
  private mutating func makeRoom() {
    if _slowPath(isFull) { makeRoomSlowly() }
  }

  @inline(never)
  private mutating func makeRoomSlowly() {
    rebuild(count * 2 > capacity ? capacity * 2 : capacity)
  }

  /// Moves what is there to new memory, without what was removed. The last keeps
  /// its number, the others follow it down.
  private mutating func rebuild(_ capacity: Int) {
    let old = self
    head = tail &- UInt32(truncatingIfNeeded: count)
    epoch = head
    born = head
    (entries, slots, self.capacity, mask, shift) = Self.allocate(capacity, free: head &- 1)
    first = 0
    end = 0
    let boundaryIndex = old.end - Int(Int32(bitPattern: old.tail &- old.boundary))
    boundary = head
    for index in old.first..<old.end where old.entries[index].key != 0 {
      if index < boundaryIndex { boundary &+= 1 }
      (entries + end).initialize(to: old.entries[index])
      if entries[end].isIndexed {
        slots[nextFree(entries[end].key, entries[end].tag)] =
          head &+ UInt32(truncatingIfNeeded: end)
      }
      end += 1
    }
    assert(end == count, "KeyedFIFO: as many entries are in it as are counted")
    old.free()
  }
}

/// Objects that are known by their address.
enum KeyedObject {
  /// The object at `address`, which an entry of a list retains.
  @inline(__always)
  static func at(_ address: UInt) -> Unmanaged<AnyObject> {
    .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
  }
}
