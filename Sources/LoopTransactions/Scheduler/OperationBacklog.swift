/// The queued operations: a FIFO list per level, and one list of all by age.
///
/// Adding, removing and moving an operation is O(1). Finding the oldest
/// operation, or the first operation of the highest level, is O(1) too. The
/// lists are linked through the nodes, and a bitmap marks the levels that are
/// not empty. The backlog owns the nodes and reuses them.
package struct OperationBacklog: ~Copyable {
  package typealias Pointer = OperationNode.Pointer

  /// The level above every priority, for operations that a thread waits for.
  package static var boostedLevel: Int { 256 }

  private static var levelCount: Int { boostedLevel + 1 }

  /// The level of `priority`.
  package static func level(_ priority: OperationPriority) -> Int { Int(priority.rawValue) + 128 }

  private struct List {
    var first: Pointer?
    var last: Pointer?
  }

  // Plain memory: an array would check its uniqueness on every change.
  private let lists = UnsafeMutablePointer<List>.allocate(capacity: levelCount)
  // One bit per level, set if the level has operations.
  private let filled = UnsafeMutablePointer<UInt64>.allocate(capacity: 5)
  private var oldest: Pointer?
  private var youngest: Pointer?
  private var free: Pointer?
  /// The chunks whose nodes were used. The last chunk is used from the start.
  private var chunks: [Pointer] = []
  /// The number of unused nodes at the end of the last chunk.
  private var unused = 0
  /// Chunks without nodes in use, which follow when all nodes are used.
  private var kept: [Pointer] = []
  /// The same, but their memory was returned to the system. It stays readable as
  /// zeros, because a handle reads the word of its node after the operation has ended.
  private var discarded: [Pointer] = []
  /// The number of the operation that was added last.
  private var lastNumber: UInt64 = 0
  /// Whether `dequeueOldest()` returns the first operation next, although it was
  /// reclaimed.
  private var takesReclaimedNext = false

  /// The number of queued operations.
  package private(set) var count = 0

  /// The waiting times by level, or nil if they are not measured.
  private(set) var times: WaitTimes?

  // 1,024 nodes take 64 KiB, a multiple of every page size. A page takes no memory
  // before its first use.
  private static var chunkSize: Int { 1024 }
  private static var chunkBytes: Int { MemoryLayout<OperationNode>.stride * chunkSize }

  // 16 chunks take 1 MiB. Not measured.
  private static var keptChunks: Int { 16 }

  /// The memory for nodes that was not returned to the system, in bytes.
  package var retainedBytes: Int { (chunks.count + kept.count) * Self.chunkBytes }

  /// Whether the nodes take more memory than an empty backlog keeps.
  @inline(__always)
  var isOversized: Bool { chunks.count > Self.keptChunks }

  package init() {
    lists.initialize(repeating: List(), count: Self.levelCount)
    filled.initialize(repeating: 0, count: 5)
  }

  deinit {
    lists.deallocate()
    filled.deallocate()
    for (index, chunk) in chunks.enumerated() {
      let isLast = index == chunks.count - 1
      chunk.deinitialize(count: isLast ? Self.chunkSize - unused : Self.chunkSize)
    }
    for chunk in chunks + kept + discarded { UnsafeMutableRawPointer(chunk).deallocate() }
  }

  /// Appends an operation to its level.
  package mutating func append(_ content: consuming OperationNode.Content?, level: Int)
    -> OperationHandle
  {
    let node = allocateNode()
    node.pointee.content = content
    node.pointee.level = UInt16(truncatingIfNeeded: level)
    node.pointee.reclaim = .never
    node.pointee.addedAt = _fastPath(times == nil) ? 0 : WaitTimes.now
    node.pointee.older = youngest
    node.pointee.younger = nil
    if let youngest { youngest.pointee.younger = node } else { oldest = node }
    youngest = node
    linkLast(node)
    count += 1
    lastNumber &+= OperationNode.firstNumber
    node.pointee.setWord(lastNumber | OperationNode.queued)
    return OperationHandle(node: node, number: lastNumber)
  }

  /// The highest level that has operations, or nil if there are none.
  @inline(__always)
  package var highestLevel: Int? {
    for word in stride(from: 4, through: 0, by: -1) where filled[word] != 0 {
      return word * 64 + 63 - filled[word].leadingZeroBitCount
    }
    return nil
  }

  /// Whether the oldest operation is also the first of the highest level.
  var oldestIsHighest: Bool {
    guard let level = highestLevel else { return false }
    return lists[level].first == oldest
  }

  /// Removes the first operation of the highest level and returns it.
  package mutating func dequeueHighest() -> OperationHandle? {
    guard let level = highestLevel, let node = lists[level].first else { return nil }
    dequeue(node)
    return OperationHandle(node: node)
  }

  /// Moves operations into the batch of `worker`, highest level first, within
  /// the worker's batch limit. Returns how many operations were dequeued since
  /// the oldest one, which were `passed` before, and stops when they are `most`.
  mutating func dequeueHighest(
    for worker: Worker,
    beforeOldest passed: Int,
    atMost most: Int
  ) -> Int {
    var passed = passed
    let limit = worker.batchLimit
    while worker.count < limit, passed < most, let level = highestLevel {
      while worker.count < limit, passed < most, let node = lists[level].first {
        // A reclaimed operation was counted when it was first taken.
        if !node.pointee.wasReclaimed { passed = node.pointee.older == nil ? 0 : passed + 1 }
        dequeue(node)
        worker.append(node)
      }
    }
    return passed
  }

  /// Removes the operation that has waited longest and returns it.
  ///
  /// A reclaimed operation had its turn and may be younger than others, so those
  /// that were never taken come first. The next call returns the first reclaimed
  /// one, which otherwise would starve.
  ///
  /// - Complexity: O(n) in the reclaimed operations, at most 31 per stalled worker.
  package mutating func dequeueOldest() -> OperationHandle? {
    guard let first = oldest else { return nil }
    let node = takesReclaimedNext ? first : oldestNeverTaken ?? first
    takesReclaimedNext = node != first
    dequeue(node)
    return OperationHandle(node: node)
  }

  /// Whether `handle` is the operation that has waited longest of those that were
  /// never taken.
  ///
  /// - Complexity: As `dequeueOldest()`.
  func isOldest(_ handle: OperationHandle) -> Bool {
    isQueued(handle) && handle.node == oldestNeverTaken
  }

  private var oldestNeverTaken: Pointer? {
    var node = oldest
    while let each = node, each.pointee.wasReclaimed { node = each.pointee.younger }
    return node
  }

  /// Removes `handle` if it is queued, and returns whether it was.
  package mutating func remove(_ handle: OperationHandle) -> Bool {
    guard isQueued(handle) else { return false }
    dequeue(handle.node)
    return true
  }

  /// Moves `handle` behind the operations of `level` if it is queued, and
  /// returns whether it was.
  package mutating func move(_ handle: OperationHandle, to level: Int) -> Bool {
    guard isQueued(handle) else { return false }
    guard handle.node.pointee.level != level else { return true }
    unlink(handle.node)
    if handle.node.pointee.wasReclaimed { handle.node.pointee.reclaim = .moved }
    handle.node.pointee.level = UInt16(truncatingIfNeeded: level)
    linkLast(handle.node)
    return true
  }

  /// Starts or stops measuring how long operations wait.
  mutating func measureWaits(_ yes: Bool) {
    if yes != (times != nil) { times = yes ? WaitTimes() : nil }
  }

  /// Frees the node of an operation that was dequeued and has ended.
  package mutating func recycle(_ handle: OperationHandle) {
    assert(handle.isCurrent, "OperationBacklog: an operation was recycled twice")
    let node = handle.node
    node.pointee.setWord(OperationNode.free)
    node.pointee.next = free
    free = node
  }

  /// Returns `handle` to the front of its level if it was dequeued and has not
  /// been claimed. Returns whether it is queued again.
  ///
  /// Reclaimed operations at the front are in the order in which they were added.
  ///
  /// - Complexity: O(n) in the older ones that were reclaimed, or O(1) if there are
  ///   none.
  package mutating func reclaim(_ handle: OperationHandle) -> Bool {
    let (node, number) = (handle.node, handle.number)
    guard
      node.pointee.exchange(number | OperationNode.dequeued, number | OperationNode.queued)
    else { return false }
    node.pointee.reclaim = .toFront
    var (older, younger): (Pointer?, Pointer?) = (nil, oldest)
    while let each = younger, each.pointee.wasReclaimed, each.pointee.number < number {
      (older, younger) = (each, each.pointee.younger)
    }
    (node.pointee.older, node.pointee.younger) = (older, younger)
    if let older { older.pointee.younger = node } else { oldest = node }
    if let younger { younger.pointee.older = node } else { youngest = node }
    linkReclaimed(node)
    count += 1
    return true
  }

  private func isQueued(_ handle: OperationHandle) -> Bool {
    handle.node.pointee.word == handle.number | OperationNode.queued
  }

  @inline(__always)
  private mutating func dequeue(_ node: Pointer) {
    unlink(node)
    if _slowPath(node.pointee.addedAt != 0) {
      times?.record(since: node.pointee.addedAt, level: Int(node.pointee.level))
      // The wait is recorded once, even if the operation is reclaimed and
      // dequeued again.
      node.pointee.addedAt = 0
    }
    if let older = node.pointee.older {
      older.pointee.younger = node.pointee.younger
    } else {
      oldest = node.pointee.younger
    }
    if let younger = node.pointee.younger {
      younger.pointee.older = node.pointee.older
    } else {
      youngest = node.pointee.older
    }
    count -= 1
    node.pointee.setWord(node.pointee.word ^ (OperationNode.queued | OperationNode.dequeued))
  }

  private mutating func linkLast(_ node: Pointer) {
    link(node, behind: lists[Int(node.pointee.level)].last, before: nil)
  }

  private mutating func linkReclaimed(_ node: Pointer) {
    var (previous, next): (Pointer?, Pointer?) = (nil, lists[Int(node.pointee.level)].first)
    while let each = next, each.pointee.reclaim == .toFront,
      each.pointee.number < node.pointee.number
    {
      (previous, next) = (each, each.pointee.next)
    }
    link(node, behind: previous, before: next)
  }

  @inline(__always)
  private mutating func link(_ node: Pointer, behind previous: Pointer?, before next: Pointer?) {
    let level = Int(node.pointee.level)
    node.pointee.previous = previous
    node.pointee.next = next
    if let previous { previous.pointee.next = node } else { lists[level].first = node }
    if let next { next.pointee.previous = node } else { lists[level].last = node }
    // Written only if the level was empty, because the write dirties another
    // cache line.
    if previous == nil, next == nil { filled[level / 64] |= 1 << UInt64(level % 64) }
  }

  private mutating func unlink(_ node: Pointer) {
    let level = Int(node.pointee.level)
    let (previous, next) = (node.pointee.previous, node.pointee.next)
    if let previous { previous.pointee.next = next } else { lists[level].first = next }
    if let next { next.pointee.previous = previous } else { lists[level].last = previous }
    if lists[level].first == nil { filled[level / 64] &= ~(1 << UInt64(level % 64)) }
  }

  private mutating func allocateNode() -> Pointer {
    guard let node = free else { return allocateUnused() }
    free = node.pointee.next
    // Prefetched, because the next free node is in the cache of the CPU whose
    // worker freed it.
    if let free { System.prefetchForWriting(free) }
    return node
  }

  @inline(never)
  private mutating func allocateUnused() -> Pointer {
    if unused == 0 { addChunk() }
    let node = chunks[chunks.count - 1] + (Self.chunkSize - unused)
    unused -= 1
    // Not the whole node, because a handle may read the word of memory used before.
    withUnsafeMutablePointer(to: &node.pointee.content) { $0.initialize(to: nil) }
    return node
  }

  private mutating func addChunk() {
    unused = Self.chunkSize
    if let chunk = kept.popLast() ?? discarded.popLast() { return chunks.append(chunk) }
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Self.chunkBytes,
      alignment: Self.chunkBytes
    )
    let chunk = memory.bindMemory(to: OperationNode.self, capacity: Self.chunkSize)
    chunks.append(chunk)
  }
}

// The memory of a long queue.
extension OperationBacklog {
  /// Removes the memory beyond the amount that an empty backlog keeps. Call while
  /// all nodes are free. The caller discards the memory, and then calls
  /// `addDiscarded(_:)`.
  ///
  /// - Complexity: O(n) in the chunks.
  mutating func removeExcess() -> [DiscardableMemory] {
    let all = chunks + kept
    kept = Array(all.prefix(Self.keptChunks))
    (chunks, free, unused) = ([], nil, 0)
    return all.dropFirst(Self.keptChunks).map { DiscardableMemory($0, Self.chunkBytes) }
  }

  /// Keeps the addresses of memory that was discarded.
  mutating func addDiscarded(_ memory: [DiscardableMemory]) {
    discarded += memory.map { $0.address.assumingMemoryBound(to: OperationNode.self) }
  }
}
