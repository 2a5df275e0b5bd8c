import Synchronization

/// What other threads posted and the loop has not taken yet.
///
/// Many threads append under a one-word lock; the loop swaps the whole buffer
/// for an empty one. The word, the buffer's bounds and the count share a cache
/// line that nothing else is on.
package struct Inbox: @unchecked Sendable {
  // @unchecked: `buffer` is touched under the word's lock only; the rest
  // are atomics.

  private struct Cells: ~Copyable {
    let word = InboxWord.Cells()
    /// How many threads are about to write to the wake descriptor.
    let senders = Atomic<UInt32>(0)
  }

  /// The loop is to come round once more although nothing was posted.
  package static let wakeWanted: UInt32 = 1
  /// The loop's run is to return.
  package static let stopWanted: UInt32 = 2

  private let cells: UnsafeMutablePointer<Cells>
  private let word: InboxWord

  // Behind the cells, not among them: a change of one part of a struct is a
  // change of the whole to ThreadSanitizer, atomics and all.
  @inline(__always)
  private var buffer: UnsafeMutablePointer<ItemBuffer> {
    (UnsafeMutableRawPointer(cells) + Self.bufferOffset).assumingMemoryBound(to: ItemBuffer.self)
  }

  private static var bufferOffset: Int { 16 }

  // What the loop was asked to do. On lines of its own: the loop looks at it while
  // others post.
  @inline(__always)
  private var requests: UnsafeMutablePointer<Atomic<UInt32>> {
    (UnsafeMutableRawPointer(cells) + Self.requestsOffset)
      .assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  private static var requestsOffset: Int { 128 }

  /// What `append` found.
  package enum Outcome {
    /// The item is in; somebody else wakes the loop, or it is awake.
    case queued
    /// The item is in, and the caller must wake the loop, then call `didSend`.
    case queuedAndWake
    /// The item was refused: the inbox is full, or closed.
    case refused
  }

  /// An empty inbox in memory of its own, until `free()`.
  package init() {
    // Twice 128: two lines each, as processors fetch them in pairs.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
    cells = memory.bindMemory(to: Cells.self, capacity: 1)
    cells.initialize(to: Cells())
    (memory + Self.requestsOffset).bindMemory(to: Atomic<UInt32>.self, capacity: 1)
      .initialize(to: Atomic(0))
    (memory + Self.bufferOffset).initializeMemory(as: ItemBuffer.self, to: ItemBuffer())
    word = InboxWord(memory.assumingMemoryBound(to: InboxWord.Cells.self))
  }

  /// Frees the memory; no thread may know the inbox any more.
  package func free() {
    buffer.pointee.free()
    requests.deinitialize(count: 1)
    cells.deinitialize(count: 1)
    UnsafeMutableRawPointer(cells).deallocate()
  }
}

extension Inbox {
  /// Adds `item` behind all others.
  ///
  /// Call from any thread. One atomic exchange; the lock is held for a copy.
  @inline(__always)
  package func append(_ item: PostedItem) -> Outcome {
    insert(item, word.lock())
  }

  /// Adds `item` as above, unless an item of `mark` waits; then nil.
  ///
  /// Call from any thread.
  package func append(_ item: PostedItem, unless mark: borrowing InboxMark) -> Outcome? {
    let flags = word.lock()
    if mark.join() {
      word.unlock(flags)
      return nil
    }
    // Before the item is in, so under the lock: the loop takes it and clears the mark
    // only after this.
    if flags & InboxWord.closed == 0 { mark.set() }
    return insert(item, flags)
  }

  /// Adds `item` and gives back the lock, which was taken when the word had `flags`.
  @inline(__always)
  private func insert(_ item: PostedItem, _ flags: UInt32) -> Outcome {
    if _slowPath(flags & InboxWord.closed != 0) {
      word.unlock(flags)
      return .refused
    }
    guard buffer.pointee.append(item) else {
      word.unlock(flags)
      return .refused
    }
    if _slowPath(flags & InboxWord.asleep != 0) {
      // Relaxed: counted under the lock, so that a closer waits for the write.
      cells.pointee.senders.add(1, ordering: .relaxed)
      word.unlock((flags | InboxWord.filled) & ~InboxWord.asleep)
      return .queuedAndWake
    }
    word.unlock(flags | InboxWord.filled)
    return .queued
  }

  /// Says that the wake which `append` or `request` asked for was sent.
  package func didSend() {
    // Release: the closer sees the write done before it closes the descriptor.
    cells.pointee.senders.subtract(1, ordering: .releasing)
  }

  /// Asks the loop for `request` without taking the lock; true if the caller
  /// must wake the loop, then call `didSend`.
  ///
  /// Call from any thread, and from a signal handler.
  package func request(_ request: UInt32) -> Bool {
    // Sequentially consistent with `close`: it sees this sender, or this
    // sender sees `closed`.
    cells.pointee.senders.add(1, ordering: .sequentiallyConsistent)
    // And with `sleep`: the loop sees the request, or this sees it asleep.
    requests.pointee.bitwiseOr(request, ordering: .sequentiallyConsistent)
    if word.claimWake() { return true }
    didSend()
    return false
  }
}

// What follows is called on the loop.
extension Inbox {
  /// Refuses posts and commits while `limit` items wait.
  package func setLimit(_ limit: Int) {
    let flags = word.lock()
    buffer.pointee.setLimit(limit)
    word.unlock(flags)
  }

  /// Whether nothing is accepted any more.
  package var isClosed: Bool { word.flags & InboxWord.closed != 0 }

  /// Whether anything was posted and not taken yet.
  @inline(__always)
  package var isFilled: Bool { word.flags & InboxWord.filled != 0 }

  /// Lets posts wake the loop from now on; false if there is something already.
  @inline(__always)
  package func sleep() -> Bool {
    guard word.sleep() else { return false }
    if _fastPath(requests.pointee.load(ordering: .sequentiallyConsistent) == 0) {
      return true
    }
    awake()
    return false
  }

  /// Spares posts the wake from now on.
  @inline(__always)
  package func awake() {
    if word.flags & InboxWord.asleep == 0 { return }
    word.unlock(word.lock() & ~InboxWord.asleep)
  }

  /// Whether anything was asked for.
  package var hasRequest: Bool { requests.pointee.load(ordering: .relaxed) != 0 }

  /// Whether `request` was asked for; it is not any more.
  @inline(__always)
  package func claimRequest(_ request: UInt32) -> Bool {
    // Relaxed: it says nothing of other memory, and one that comes later is
    // seen by `sleep`.
    if _fastPath(requests.pointee.load(ordering: .relaxed) & request == 0) { return false }
    return requests.pointee.bitwiseAnd(~request, ordering: .acquiringAndReleasing)
      .oldValue & request != 0
  }

  /// Swaps what was posted for `other`, which must be empty.
  package func drain(into other: inout ItemBuffer) {
    let flags = word.lock()
    swap(&buffer.pointee, &other)
    word.unlock(flags & ~InboxWord.filled)
  }

  /// Waits for the wakes of what was posted up to now.
  package func waitForSenders() {
    // A sender is counted under the lock: either it is seen here, or it comes after,
    // and sees what was done before this.
    word.unlock(word.lock())
    while cells.pointee.senders.load(ordering: .acquiring) != 0 { System.yield() }
  }

  /// Refuses posts from now on, and waits for wakes on their way.
  package func close() {
    word.close()
    // Acquire: pairs with `didSend`. Sequentially consistent with `request`.
    while cells.pointee.senders.load(ordering: .sequentiallyConsistent) != 0 { System.yield() }
  }
}

/// Whether an item of a kept transaction waits, in the inbox or with the loop. I32.
///
/// Set under the inbox's lock, when the item is put in; cleared by the loop, without the
/// lock, before it commits the pair.
package struct InboxMark: ~Copyable {
  private let isSet = Atomic(false)

  package init() {}

  /// Whether an item waits; if so, its action sees what the caller wrote before.
  ///
  /// Call from any thread.
  @inline(__always)
  package func join() -> Bool {
    // An exchange of true for true, not a load. The caller wrote, then looks at the mark;
    // the loop clears the mark, then reads. With a load, the caller could see the mark set
    // while its write is still on its way, and the loop read the old value: the commit
    // would be lost. An exchange has a place in the mark's modification order. Before the
    // loop's exchange, it is part of the release sequence that the loop acquires, so the
    // action sees the write. Behind it, it fails, and the caller puts an item in.
    isSet.compareExchange(
      expected: true,
      desired: true,
      successOrdering: .releasing,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Takes note that an item is being put in, under the inbox's lock.
  // Relaxed: the lock publishes what the caller wrote, as for every item.
  package func set() { isSet.store(true, ordering: .relaxed) }

  /// Takes note that the item was taken.
  ///
  /// Call on the loop.
  package func clear() {
    // Acquiring: pairs with each `join` before it. An exchange, for a store would read
    // nothing that it could acquire.
    _ = isSet.exchange(false, ordering: .acquiring)
  }
}
