/// Posted items in FIFO order: a flat growing array and a cursor.
package struct ItemBuffer {
  private(set) var base: UnsafeMutablePointer<PostedItem>
  package private(set) var count = 0
  // The count at which `append` takes its slow path, because the memory is used
  // up or the limit is reached.
  private var capacity: Int
  private var cursor = 0
  /// The number of items that fit in the memory.
  package private(set) var allocated: Int
  private var limit = Int.max
  // The number of emptyings in a row that needed little of the memory.
  private var leanCount = 0

  // 128 items are 3 KiB. Not measured.
  private static let smallest = 128
  // Memory for up to 1,024 items (24 KiB) is kept. More is freed after 16
  // emptyings in a row that needed at most a quarter of it, and memory for more
  // than 131,072 items (3 MiB) after the first. If more was freed at each
  // emptying, 64 threads that post would copy the items most of their time.
  private static let largestKept = 1024
  private static let largestReused = 131_072
  private static let leanLimit = 16

  /// Creates an empty buffer.
  package init() {
    capacity = Self.smallest
    allocated = Self.smallest
    base = .allocate(capacity: allocated)
  }

  /// The number of items that have not run.
  @inline(__always)
  package var remaining: Int { count &- cursor }

  /// Appends `item`. Returns false if the limit refuses it.
  @inline(__always)
  @discardableResult
  package mutating func append(_ item: PostedItem) -> Bool {
    if _slowPath(count == capacity), !makeRoom(for: item) { return false }
    if _slowPath(count == 0) { prefetchFirst() }
    (base + count).initialize(to: item)
    // Prefetched, because another CPU read these lines last. 12 lines ahead
    // correspond to 0.3 us here.
    System.prefetchForWriting(base + count + 32)
    count &+= 1
    return true
  }

  /// Sets the number of items from which posts and commits are refused.
  package mutating func setLimit(_ limit: Int) {
    self.limit = limit
    capacity = max(count, min(allocated, limit))
  }

  /// Prefetches the lines that no earlier append has prefetched.
  @inline(never)
  private func prefetchFirst() {
    for index in 0..<12 {
      System.prefetchForWriting(UnsafeRawPointer(base) + index * 64)
    }
  }

  /// Removes and returns the oldest item. The buffer must not be empty.
  @inline(__always)
  package mutating func removeFirst() -> PostedItem {
    defer { cursor &+= 1 }
    // Prefetched, because another thread wrote the object last and the item is
    // about to use it. 6 items ahead correspond to 0.2 us here.
    if cursor &+ 6 < count { System.prefetchForWriting(base[cursor &+ 6].second) }
    return base[cursor]
  }

  /// Whether the oldest item has the same content as `item`.
  func isFirst(_ item: PostedItem) -> Bool {
    guard cursor < count else { return false }
    let first = base[cursor]
    return (first.kind, first.first, first.second) == (item.kind, item.first, item.second)
  }

  /// Whether the oldest item is a job of Swift concurrency.
  @inline(__always)
  package var beginsWithJob: Bool { cursor < count && base[cursor].isJob }

  /// Removes the items, all of which must have run.
  package mutating func reset() {
    assert(remaining == 0, "ItemBuffer.reset: \(remaining) items have not run")
    if _slowPath(allocated > Self.largestKept) { freeExcess() }
    count = 0
    cursor = 0
    capacity = min(allocated, limit)
  }

  /// Frees the memory if only a burst needed it.
  @inline(never)
  private mutating func freeExcess() {
    leanCount = count <= allocated / 4 ? leanCount + 1 : 0
    guard leanCount == Self.leanLimit || allocated > Self.largestReused else { return }
    leanCount = 0
    base.deallocate()
    allocated = Self.smallest
    base = .allocate(capacity: allocated)
  }

  /// Returns an empty buffer in memory of its own, so that the buffer can
  /// change while one of its items runs.
  static func allocate() -> UnsafeMutablePointer<ItemBuffer> {
    let pointer = UnsafeMutablePointer<ItemBuffer>.allocate(capacity: 1)
    pointer.initialize(to: ItemBuffer())
    return pointer
  }

  /// Frees a buffer from `allocate()`.
  static func deallocate(_ pointer: UnsafeMutablePointer<ItemBuffer>) {
    pointer.pointee.free()
    pointer.deallocate()
  }

  /// Frees the memory. The buffer must not be used afterwards.
  package func free() { base.deallocate() }

  /// Makes room for `item`, unless the limit refuses it. Beyond the limit,
  /// makes room for one item at a time, so that each refusable item is checked.
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
