/// Posted items in the order they came: a flat, growing array and a cursor.
package struct ItemBuffer {
  private(set) var base: UnsafeMutablePointer<PostedItem>
  package private(set) var count = 0
  // At how many items `append` has to look: the memory is used up, or the limit reached.
  private var capacity: Int
  private var cursor = 0
  /// How many items the memory has room for.
  package private(set) var allocated: Int
  private var limit = Int.max

  // 128 items are 3 KiB. Guess.
  private static let smallest = 128
  // Past 1,024 items, 24 KiB, memory is given back when the buffer empties.
  private static let largestKept = 1024

  /// An empty buffer.
  package init() {
    capacity = Self.smallest
    allocated = Self.smallest
    base = .allocate(capacity: allocated)
  }

  /// How many items are left to run.
  @inline(__always)
  package var remaining: Int { count - cursor }

  /// Adds `item` at the end; false if as many wait as may.
  @inline(__always)
  @discardableResult
  package mutating func append(_ item: PostedItem) -> Bool {
    if _slowPath(count == capacity), !makeRoom(for: item) { return false }
    if _slowPath(count == 0) { prefetchFirst() }
    (base + count).initialize(to: item)
    // The other side read these lines last. 12 lines ahead are 0.3 us here.
    System.prefetchForWriting(base + count + 32)
    count &+= 1
    return true
  }

  /// Refuses posts and commits while `limit` items are here.
  package mutating func setLimit(_ limit: Int) {
    self.limit = limit
    capacity = max(count, min(allocated, limit))
  }

  /// Fetches the lines that no earlier append asked for.
  @inline(never)
  private func prefetchFirst() {
    for index in 0..<12 {
      System.prefetchForWriting(UnsafeRawPointer(base) + index * 64)
    }
  }

  /// Takes the oldest item. There must be one.
  @inline(__always)
  package mutating func removeFirst() -> PostedItem {
    defer { cursor &+= 1 }
    // Another thread wrote it last, and the item is about to use it. 6 items ahead
    // are 0.2 us here.
    if cursor &+ 6 < count { System.prefetchForWriting(base[cursor &+ 6].second) }
    return base[cursor]
  }

  /// Whether the oldest item is a job of Swift's concurrency.
  @inline(__always)
  package var beginsWithJob: Bool { cursor < count && base[cursor].isJob }

  /// Forgets the items that were run, all of them.
  package mutating func reset() {
    assert(remaining == 0, "ItemBuffer: items are forgotten after they ran")
    count = 0
    cursor = 0
    if allocated > Self.largestKept {
      base.deallocate()
      allocated = Self.smallest
      base = .allocate(capacity: allocated)
    }
    capacity = min(allocated, limit)
  }

  /// An empty buffer in memory of its own, so that it can change while one of
  /// its items runs.
  static func allocate() -> UnsafeMutablePointer<ItemBuffer> {
    let pointer = UnsafeMutablePointer<ItemBuffer>.allocate(capacity: 1)
    pointer.initialize(to: ItemBuffer())
    return pointer
  }

  /// Undoes `allocate()`.
  static func deallocate(_ pointer: UnsafeMutablePointer<ItemBuffer>) {
    pointer.pointee.free()
    pointer.deallocate()
  }

  /// Gives the memory back; the buffer can not be used any more.
  package func free() { base.deallocate() }

  /// Makes room for `item`, unless the limit refuses it. Items that no limit refuses
  /// come one by one past it, so that each of the others is looked at.
  @inline(never)
  private mutating func makeRoom(for item: PostedItem) -> Bool {
    if count >= limit, item.isRefusable { return false }
    if count == allocated { grow() }
    capacity = count < limit ? min(allocated, limit) : count + 1
    return true
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<PostedItem>.allocate(capacity: allocated * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    allocated *= 2
  }
}
