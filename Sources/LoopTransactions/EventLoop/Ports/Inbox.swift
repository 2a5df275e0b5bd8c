import Synchronization

/// The items that other threads posted and that the loop has not taken yet.
///
/// Threads append under a one-word lock. The loop swaps the whole buffer for an
/// empty buffer. The word, the buffer's bounds and the count share a cache line
/// with nothing else.
package struct Inbox: @unchecked Sendable {
  // @unchecked: `buffer` is accessed only under the word's lock. The other
  // properties are atomics.

  private struct Cells: ~Copyable {
    let word = InboxWord.Cells()
    /// The number of threads that are about to write to the wake descriptor.
    let senders = Atomic<UInt32>(0)
  }

  /// Requests one more tick, although nothing was posted.
  package static let wakeWanted: UInt32 = 1
  /// Requests that the loop's run return.
  package static let stopWanted: UInt32 = 2

  private let cells: UnsafeMutablePointer<Cells>
  package let word: InboxWord

  // Stored behind the cells and not in them. ThreadSanitizer treats a change of
  // one member of a struct as a change of the whole struct, including its
  // atomics.
  @inline(__always)
  private var buffer: UnsafeMutablePointer<ItemBuffer> {
    (UnsafeMutableRawPointer(cells) + Self.bufferOffset).assumingMemoryBound(to: ItemBuffer.self)
  }

  private static var bufferOffset: Int { 16 }

  // The pending requests. Stored on separate cache lines, because the loop
  // reads them while other threads post.
  @inline(__always)
  private var requests: UnsafeMutablePointer<Atomic<UInt32>> {
    (UnsafeMutableRawPointer(cells) + Self.requestsOffset)
      .assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  private static var requestsOffset: Int { 128 }

  /// The result of `append`.
  package enum Outcome {
    /// The item was added. The loop is awake, or another thread wakes it.
    case queued
    /// The item was added. The caller must wake the loop, then call `didSend`.
    case queuedAndWake
    /// An item with the same mark is waiting already.
    case joined
    /// The item was refused, because the inbox is full or closed.
    case refused
  }

  /// Creates an empty inbox in memory of its own, which `free()` releases.
  package init() {
    // Twice 128 bytes. Each part takes two cache lines, because CPUs prefetch
    // lines in pairs.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
    cells = memory.bindMemory(to: Cells.self, capacity: 1)
    cells.initialize(to: Cells())
    (memory + Self.requestsOffset).bindMemory(to: Atomic<UInt32>.self, capacity: 1)
      .initialize(to: Atomic(0))
    (memory + Self.bufferOffset).initializeMemory(as: ItemBuffer.self, to: ItemBuffer())
    word = InboxWord(memory.assumingMemoryBound(to: InboxWord.Cells.self))
  }

  /// Frees the memory. No thread may use the inbox any more.
  package func free() {
    buffer.pointee.free()
    requests.deinitialize(count: 1)
    cells.deinitialize(count: 1)
    UnsafeMutableRawPointer(cells).deallocate()
  }
}

extension Inbox {
  /// Appends `item`, unless an item with `mark` is waiting.
  ///
  /// Call from any thread. Takes one atomic exchange. The lock is held while
  /// the item is copied.
  @inline(__always)
  package func append(_ item: PostedItem, unless mark: InboxMark? = nil) -> Outcome {
    let flags = word.lock()
    if let mark {
      if mark.join() {
        word.unlock(flags)
        return .joined
      }
      // Set under the lock and before the item is added. The loop takes the item
      // and clears the mark only afterwards.
      if flags & InboxWord.closed == 0 { mark.set() }
    }
    if _slowPath(flags & InboxWord.closed != 0) {
      word.unlock(flags)
      return .refused
    }
    guard buffer.pointee.append(item) else {
      word.unlock(flags)
      return .refused
    }
    if _slowPath(flags & InboxWord.asleep != 0) {
      // Relaxed: counted under the lock, so a thread that closes the inbox
      // waits for the write.
      cells.pointee.senders.add(1, ordering: .relaxed)
      word.unlock((flags | InboxWord.filled) & ~InboxWord.asleep)
      return .queuedAndWake
    }
    word.unlock(flags | InboxWord.filled)
    return .queued
  }

  /// Must be called after the wake that `append` or `request` asked for was
  /// sent.
  package func didSend() {
    // Release: pairs with `close`, so the write is complete before the
    // descriptor is closed.
    cells.pointee.senders.subtract(1, ordering: .releasing)
  }

  /// Adds `request` to the pending requests, without taking the lock. Returns
  /// whether the caller must wake the loop and then call `didSend`.
  ///
  /// Call from any thread or from a signal handler.
  package func request(_ request: UInt32) -> Bool {
    // Sequentially consistent with `close`: either `close` sees this sender, or
    // this sender sees `closed`.
    cells.pointee.senders.add(1, ordering: .sequentiallyConsistent)
    // Sequentially consistent with `sleep`: either the loop sees the request,
    // or this thread sees that it is asleep.
    requests.pointee.bitwiseOr(request, ordering: .sequentiallyConsistent)
    if word.claimWake() { return true }
    didSend()
    return false
  }
}

// The following is called on the loop.
extension Inbox {
  /// Sets the number of waiting items from which posts and commits are refused.
  package func setLimit(_ limit: Int) {
    let flags = word.lock()
    buffer.pointee.setLimit(limit)
    word.unlock(flags)
  }

  /// Whether the inbox refuses all items.
  package var isClosed: Bool { word.flags & InboxWord.closed != 0 }

  /// Whether any item was posted and has not been taken yet.
  @inline(__always)
  package var isFilled: Bool { word.flags & InboxWord.filled != 0 }

  /// Makes posts wake the loop from now on. Returns false if an item or a
  /// request is already waiting.
  @inline(__always)
  package func sleep() -> Bool {
    guard word.sleep() else { return false }
    if _fastPath(requests.pointee.load(ordering: .sequentiallyConsistent) == 0) {
      return true
    }
    awake()
    return false
  }

  /// Makes posts no longer wake the loop.
  @inline(__always)
  package func awake() {
    if word.flags & InboxWord.asleep == 0 { return }
    word.unlock(word.lock() & ~InboxWord.asleep)
  }

  /// Whether any request is pending.
  package var hasRequest: Bool { requests.pointee.load(ordering: .relaxed) != 0 }

  /// Removes `request` from the pending requests. Returns whether it was
  /// pending.
  @inline(__always)
  package func claimRequest(_ request: UInt32) -> Bool {
    // Relaxed: orders no other memory, and `sleep` sees a request that arrives
    // later.
    if _fastPath(requests.pointee.load(ordering: .relaxed) & request == 0) { return false }
    return requests.pointee.bitwiseAnd(~request, ordering: .acquiringAndReleasing)
      .oldValue & request != 0
  }

  /// Swaps the posted items into `other`, which must be empty.
  package func drain(into other: inout ItemBuffer) {
    let flags = word.lock()
    swap(&buffer.pointee, &other)
    word.unlock(flags & ~InboxWord.filled)
  }

  /// Waits until the wakes of all earlier posts have been sent.
  package func waitForSenders() {
    // Senders are counted under the lock. Each sender is either seen here, or
    // comes later and sees everything done before this.
    word.unlock(word.lock())
    while cells.pointee.senders.load(ordering: .acquiring) != 0 { System.yield() }
  }

  /// Refuses items until `accept()`. If `item` is given and is the oldest item,
  /// removes it and returns true.
  ///
  /// Call from any thread.
  package func refuse(reclaiming item: PostedItem? = nil) -> Bool {
    let flags = word.lock()
    let isOldest = item.map { buffer.pointee.isFirst($0) } ?? false
    if isOldest { _ = buffer.pointee.removeFirst() }
    if isOldest, buffer.pointee.remaining == 0 {
      buffer.pointee.reset()
      word.unlock((flags | InboxWord.closed) & ~InboxWord.filled)
    } else {
      word.unlock(flags | InboxWord.closed)
    }
    return isOldest
  }

  /// Accepts items again after `refuse()`.
  package func accept() { word.unlock(word.lock() & ~InboxWord.closed) }

  /// Refuses items from now on, and waits for wakes that are being sent.
  package func close() {
    word.close()
    // Acquire: pairs with `didSend`. Sequentially consistent with `request`.
    while cells.pointee.senders.load(ordering: .sequentiallyConsistent) != 0 { System.yield() }
  }
}

/// Whether an item of a `PortTransaction` is waiting in the inbox or with the
/// loop, or its pair for a frame. I32.
///
/// Set under the inbox's lock when the item is appended. The loop clears it
/// without the lock, before the pair is pending in the tick. An object of its
/// own, so that the loop can keep a mark without its transaction.
package final class InboxMark: Sendable {
  private let isSet = Atomic(false)

  package init() {}

  /// Returns whether an item is waiting. If so, its action sees the caller's
  /// earlier writes.
  ///
  /// Call from any thread.
  @inline(__always)
  package func join() -> Bool {
    // Exchanges true for true instead of loading. The caller writes its data
    // and then checks the mark; the loop clears the mark and then reads the
    // data. With a load, the caller could see the mark set before its write is
    // visible, while the loop reads the old data, and the commit would be lost.
    // An exchange has a position in the mark's modification order. Before the
    // loop's exchange, it is part of the release sequence that the loop
    // acquires, so the action sees the write. After it, this exchange fails,
    // and the caller appends an item.
    isSet.compareExchange(
      expected: true,
      desired: true,
      successOrdering: .releasing,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Sets the mark when an item is appended, under the inbox's lock.
  // Relaxed: the lock publishes the caller's writes, as for every item.
  package func set() { isSet.store(true, ordering: .relaxed) }

  /// Clears the mark when the item is taken, or when the pair leaves its frame.
  ///
  /// Call on the loop.
  package func clear() {
    // Acquire: pairs with each earlier `join`. An exchange, because a store
    // reads nothing and so cannot acquire.
    _ = isSet.exchange(false, ordering: .acquiring)
  }
}
