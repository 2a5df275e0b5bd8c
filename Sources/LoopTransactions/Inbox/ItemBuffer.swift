/// Posted items in the order they came: a flat, growing array and a cursor.
struct ItemBuffer {
  private(set) var base: UnsafeMutablePointer<PostedItem>
  private(set) var count = 0
  private var capacity: Int
  private var cursor = 0

  // 128 items are 3 KiB. Guess.
  private static let smallest = 128
  // Past 1,024 items, 24 KiB, memory is given back when the buffer empties.
  private static let largestKept = 1024

  /// An empty buffer.
  init() {
    capacity = Self.smallest
    base = .allocate(capacity: capacity)
  }

  /// How many items are left to run.
  @inline(__always)
  var remaining: Int { count - cursor }

  /// Adds `item` at the end.
  @inline(__always)
  mutating func append(_ item: PostedItem) {
    if _slowPath(count == capacity) { grow() }
    if _slowPath(count == 0) { prefetchFirst() }
    (base + count).initialize(to: item)
    // The other side read these lines last. 12 lines ahead are 0.3 us here.
    System.prefetchForWriting(base + count + 32)
    count &+= 1
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
  mutating func removeFirst() -> PostedItem {
    defer { cursor &+= 1 }
    // Another thread wrote it last, and the item is about to use it. 6 items ahead
    // are 0.2 us here.
    if cursor &+ 6 < count { System.prefetchForWriting(base[cursor &+ 6].second) }
    return base[cursor]
  }

  /// Whether the oldest item is a job of Swift's concurrency.
  @inline(__always)
  var beginsWithJob: Bool { cursor < count && base[cursor].isJob }

  /// Forgets the items that were run, all of them.
  mutating func reset() {
    assert(remaining == 0, "ItemBuffer: items are forgotten after they ran")
    count = 0
    cursor = 0
    guard capacity > Self.largestKept else { return }
    free()
    self = ItemBuffer()
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
  func free() { base.deallocate() }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<PostedItem>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
