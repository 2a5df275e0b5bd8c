/// A FIFO list whose entries can be found by key in O(1).
///
/// The entries lie in a flat array. Each entry has a sequence number, and an
/// open-addressing hash table stores those numbers. Removing an entry leaves
/// its number in the table, and sets its key to 0. Numbers issued before the list
/// was last empty count as free slots, so a list that empties every tick never
/// clears its table.
///
/// A lookup touches one slot and its entry. An append usually touches one slot.
/// Removing the first entry touches no slot. I7.
///
/// Keys are addresses that are only compared, never retained or dereferenced.
package struct KeyedFIFO<Payload: BitwiseCopyable> {
  /// An entry. In the list, a key of 0 marks a removed entry.
  package struct Entry {
    package fileprivate(set) var key: UInt
    package fileprivate(set) var tag: UInt32
    package fileprivate(set) var payload: Payload

    /// Creates an entry.
    init(key: UInt, tag: UInt32, payload: Payload) {
      self.key = key
      self.tag = tag
      self.payload = payload
    }

    // Whether the entry has a slot in the table.
    fileprivate var isIndexed: Bool { tag != unindexedTag }
  }

  /// The tag of the entries that have no slot.
  package static var unindexedTag: UInt32 { .max }

  private var entries: UnsafeMutablePointer<Entry>
  // The hash table: sequence numbers of entries.
  private var slots: UnsafeMutablePointer<UInt32>
  /// The number of entries that the allocated array can hold.
  package private(set) var capacity: Int
  private var mask: Int
  private var shift: UInt64

  // The entries have the numbers `head..<tail`. `epoch` is the number of the
  // array's first entry; slots with older numbers count as free. `tableStart` is
  // the value of `head` when the table was allocated.
  private var head: UInt32
  private var tail: UInt32
  private var epoch: UInt32
  private var tableStart: UInt32
  // The number of removed entries in `head..<tail`.
  private var removedCount = 0
  // The number of emptyings in a row that needed little of the memory.
  private var leanCount = 0

  /// A mark that stays between the same entries when they are renumbered.
  package var boundary: UInt32 = 0

  /// The number of entries, not counting removed entries.
  @inline(__always)
  package var count: Int { Int(tail &- head) &- removedCount }

  // 64 entries and 256 slots take 3 KiB. Not measured.
  private static var minCapacity: Int { 64 }
  // Memory for up to 8,192 entries, which take 384 KiB, is kept. More is freed
  // after 16 emptyings in a row that needed at most a quarter of it. Memory for
  // more than 131,072 entries (6 MiB) is freed at the first emptying. If all
  // memory was freed there, a loop whose ticks each take 100,000 entries would
  // clear a new table and copy its entries in each tick. T10.
  private static var largestKept: Int { 8192 }
  private static var largestReused: Int { 131_072 }
  private static var leanLimit: Int { 16 }

  // Numbers wrap around after 2^32. The table is rebuilt before a stale number
  // could match another entry.
  private static var maxTableAge: UInt32 { 1 << 31 }

  // The table is at most a quarter full. Objects allocated in rows have evenly
  // spaced addresses, which hash to evenly spaced slots. Two such rows that
  // collide still leave every other slot free. In a table that was half full,
  // they formed runs of 100 and more.
  private static var slotsPerEntry: Int { 4 }

  /// Creates an empty list whose numbers start at `number`. Call `free()` when
  /// done.
  package init(from number: UInt32 = 1) {
    (head, tail, epoch, tableStart) = (number, number, number, number)
    (entries, slots, capacity, mask, shift) = Self.allocate(Self.minCapacity, free: number &- 1)
  }

  /// Frees the memory. The list cannot be used afterwards.
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

// Lookup.
extension KeyedFIFO {
  /// The position of an entry. Valid until the list changes.
  package struct Index {
    fileprivate let place: Int
    /// The entry's tag.
    package let tag: UInt32
  }

  /// The hash of `key` and `tag`. Finding and appending an entry need it.
  @inline(__always)
  package static func hash(_ key: UInt, _ tag: UInt32) -> UInt64 {
    // Fibonacci hashing: the high bits of the product are well mixed. The tag's
    // highest bit is ignored, so `setTag` can change it. The shift is for objects
    // at equal distances: without it, a tenth of the distances formed long runs,
    // and 8,192 objects 736 bytes apart took 45 probes each. Shifts by 7 and 8
    // were the best of 4 to 16 for the distances up to 8,192. Of 100 objects 32
    // bytes apart, 6 % find their first slot taken with 7, and 16 % with 8.
    let word = UInt64(key) ^ (UInt64(tag) << 33)
    return (word ^ (word &>> 7)) &* 0x9E37_79B9_7F4A_7C15
  }

  @inline(__always)
  private func firstSlot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> shift) }

  /// Returns the index of the entry with `key` and `tag`, or nil.
  @inline(__always)
  package func find(_ key: UInt, _ tag: UInt32) -> Index? {
    var slot = firstSlot(Self.hash(key, tag))
    while let place = place(at: slot) {
      if has(key, tag, at: place) { return Index(place: place, tag: tag) }
      slot = (slot &+ 1) & mask
    }
    return nil
  }

  /// Returns the slot that a new entry with `hash` would use if it is the first
  /// one. Returns nil if another entry has taken that slot, or if the memory is
  /// used up.
  @inline(__always)
  func firstFreeSlot(hash: UInt64) -> Int? {
    let slot = firstSlot(hash)
    return place(at: slot) != nil || isFull ? nil : slot
  }

  /// Returns the slot that a new entry with `key` and `tag` would use, or nil if
  /// such an entry exists.
  @inline(__always)
  private func freeSlot(_ key: UInt, _ tag: UInt32, hash: UInt64) -> Int? {
    var slot = firstSlot(hash)
    while let place = place(at: slot) {
      if has(key, tag, at: place) { return nil }
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  /// Whether the first slot of `hash`, the hash of `key` and `tag`, has their
  /// entry. If not, another slot may have it.
  @inline(__always)
  func isInFirstSlot(_ key: UInt, _ tag: UInt32, hash: UInt64) -> Bool {
    guard let place = place(at: firstSlot(hash)) else { return false }
    return has(key, tag, at: place)
  }

  /// The number of slots that `find` reads. For tests.
  package func probes(_ key: UInt, _ tag: UInt32) -> Int {
    var (slot, count) = (firstSlot(Self.hash(key, tag)), 1)
    while let place = place(at: slot), !has(key, tag, at: place) {
      slot = (slot &+ 1) & mask
      count += 1
    }
    return count
  }

  /// The place in the array of the entry whose number is in `slot`, which may be
  /// a removed entry, or nil if the slot is free.
  @inline(__always)
  private func place(at slot: Int) -> Int? {
    let place = slots[slot] &- epoch
    return place < tail &- epoch ? Int(place) : nil
  }

  // A removed entry has no key.
  @inline(__always)
  private func has(_ key: UInt, _ tag: UInt32, at place: Int) -> Bool {
    entries[place].key == key && entries[place].tag == tag
  }

  /// The payload of the entry at `index`.
  package subscript(index: Index) -> Payload {
    get { entries[index.place].payload }
    nonmutating set { entries[index.place].payload = newValue }
  }
}

// Changes.
extension KeyedFIFO {
  /// Appends an entry. No entry with the same key and tag may exist.
  package mutating func append(_ key: UInt, _ tag: UInt32, _ payload: Payload) {
    if _slowPath(isFull) { makeRoom() }
    append(key, tag, payload, slot: nextFree(key, tag))
  }

  /// Appends an entry, unless one with the same key and tag exists. `hash` is
  /// the hash of both. Returns whether it was appended.
  @inline(__always)
  package mutating func appendOnce(
    _ key: UInt,
    _ tag: UInt32,
    _ payload: Payload,
    hash: UInt64
  ) -> Bool {
    guard var slot = freeSlot(key, tag, hash: hash) else { return false }
    if _slowPath(isFull) {
      makeRoom()
      slot = nextFree(key, tag)
    }
    append(key, tag, payload, slot: slot)
    return true
  }

  /// Appends an entry with the slot that `firstFreeSlot` just returned.
  @inline(__always)
  mutating func append(_ key: UInt, _ tag: UInt32, _ payload: Payload, slot: Int) {
    assert(tag != Self.unindexedTag, "KeyedFIFO: the tag must not be \(tag)")
    slots[slot] = tail
    store(Entry(key: key, tag: tag, payload: payload))
  }

  private func nextFree(_ key: UInt, _ tag: UInt32) -> Int {
    var slot = firstSlot(Self.hash(key, tag))
    while place(at: slot) != nil { slot = (slot &+ 1) & mask }
    return slot
  }

  /// Appends an entry that cannot be found by its key.
  package mutating func appendUnindexed(_ key: UInt, _ payload: Payload) {
    if _slowPath(isFull) { makeRoom() }
    store(Entry(key: key, tag: Self.unindexedTag, payload: payload))
  }

  /// Replaces the tag of the entry at `index`. The new tag may differ in the
  /// highest bit only.
  package func setTag(_ tag: UInt32, at index: Index) {
    assert(
      (index.tag ^ tag) << 1 == 0,
      "KeyedFIFO: tags may differ only in the highest bit, got \(index.tag) and \(tag)"
    )
    entries[index.place].tag = tag
  }

  /// Removes the entry at `index` and returns its payload.
  package mutating func remove(_ index: Index) -> Payload {
    removeEntry(index.place)
    return entries[index.place].payload
  }

  /// The current end of the list. Entries appended later lie behind it. If
  /// entries behind the mark are removed, the mark may move in front of older
  /// entries.
  package var mark: UInt32 { tail }

  /// The oldest entry, which stays in the list. Discards removed entries in
  /// front of it.
  package mutating func oldest() -> Entry? {
    while head != tail {
      let entry = entries[Int(head &- epoch)]
      if entry.key != 0 { return entry }
      head &+= 1
      removedCount &-= 1
    }
    return nil
  }

  /// Whether there may be entries before `mark`.
  package func hasEntries(before mark: UInt32) -> Bool {
    count > 0 && Int32(bitPattern: mark &- head) > 0
  }

  /// Removes the first entry before `mark` and returns it, or nil if there is
  /// no such entry.
  @inline(__always)
  package mutating func removeFirst(before mark: UInt32) -> Entry? {
    // Compared as signed numbers, because a mark that was passed has no entries
    // before it.
    while Int32(bitPattern: mark &- head) > 0, head != tail {
      let place = entries + Int(head &- epoch)
      let entry = place.pointee
      head &+= 1
      guard entry.key != 0 else {
        removedCount &-= 1
        continue
      }
      place.pointee.key = 0
      return entry
    }
    return nil
  }

  /// Whether the objects of the entries are likely to exceed the caches.
  @inline(__always)
  package var isLarge: Bool { capacity > Self.largestKept }

  /// The key of the fourth entry, or 0 if there is none or it was removed.
  @inline(__always)
  package var fourthKey: UInt {
    Int32(bitPattern: tail &- head) > 3 ? entries[Int(head &- epoch) + 3].key : 0
  }

  /// Removes the first entry for which `matches` returns true. O(n).
  package mutating func removeFirst(where matches: (Entry) -> Bool) -> Entry? {
    for place in places where entries[place].key != 0 && matches(entries[place]) {
      let entry = entries[place]
      removeEntry(place)
      return entry
    }
    return nil
  }

  /// If the list is empty, makes all slots free, and frees memory that only a
  /// burst needed.
  @inline(__always)
  package mutating func resetIfEmpty() {
    guard count == 0 else { return }
    if _slowPath(capacity > Self.largestKept || tail &- tableStart > Self.maxTableAge) {
      return freeExcess()
    }
    reset()
  }

  @inline(__always)
  private mutating func reset() {
    head = tail
    epoch = tail
    removedCount = 0
  }

  @inline(never)
  private mutating func freeExcess() {
    leanCount = Int(tail &- epoch) <= capacity / 4 ? leanCount + 1 : 0
    reset()
    let isExcess =
      capacity > Self.largestReused
      || (capacity > Self.largestKept && leanCount >= Self.leanLimit)
    guard isExcess || tail &- tableStart > Self.maxTableAge else { return }
    leanCount = 0
    rebuild(min(capacity, Self.minCapacity))
  }

  @inline(__always)
  private mutating func store(_ entry: Entry) {
    (entries + Int(tail &- epoch)).initialize(to: entry)
    tail &+= 1
  }

  private mutating func removeEntry(_ place: Int) {
    entries[place].key = 0
    removedCount &+= 1
  }

  /// The places in the array of the entries, including removed ones.
  private var places: Range<Int> { Int(head &- epoch)..<Int(tail &- epoch) }

  // Every number issued since `epoch` may occupy a slot, so a full array also
  // means that a quarter of the table is used.
  @inline(__always)
  private var isFull: Bool { Int(tail &- epoch) == capacity }

  @inline(never)
  private mutating func makeRoom() {
    rebuild(count * 2 > capacity ? capacity * 2 : capacity)
  }

  /// Moves the entries to new memory, without the removed entries. The last
  /// entry keeps its number, and the others are renumbered to precede it
  /// directly.
  private mutating func rebuild(_ capacity: Int) {
    let old = self
    head = tail &- UInt32(truncatingIfNeeded: count)
    epoch = head
    tableStart = head
    removedCount = 0
    (entries, slots, self.capacity, mask, shift) = Self.allocate(capacity, free: head &- 1)
    let boundaryPlace = Int(Int32(bitPattern: old.boundary &- old.epoch))
    boundary = head
    var number = head
    for place in old.places where old.entries[place].key != 0 {
      if place < boundaryPlace { boundary &+= 1 }
      let entry = old.entries[place]
      (entries + Int(number &- epoch)).initialize(to: entry)
      if entry.isIndexed { slots[nextFree(entry.key, entry.tag)] = number }
      number &+= 1
    }
    assert(number == tail, "KeyedFIFO: moved \(number &- head) of \(count) entries")
    old.free()
  }
}
