import Synchronization

/// What other threads posted and the loop has not taken yet.
///
/// Many threads append under a one-word lock; the loop swaps the whole buffer
/// for an empty one. The word, the buffer's bounds and the count share a cache
/// line that nothing else is on.
struct Inbox: @unchecked Sendable {
  // @unchecked: `buffer` is touched under the word's lock only; the rest
  // are atomics.

  private struct Cells: ~Copyable {
    let word: Atomic<UInt32>
    /// How many threads are about to write to the wake descriptor.
    let senders: Atomic<UInt32>
  }

  private let cells: UnsafeMutablePointer<Cells>
  private let word: InboxWord

  // Behind the cells, not among them: a change of one part of a struct is a
  // change of the whole to ThreadSanitizer, atomics and all.
  @inline(__always)
  private var buffer: UnsafeMutablePointer<ItemBuffer> {
    (UnsafeMutableRawPointer(cells) + Self.bufferOffset).assumingMemoryBound(to: ItemBuffer.self)
  }

  private static var bufferOffset: Int { 16 }

  /// What `append` found.
  enum Outcome {
    /// The item is in; somebody else wakes the loop, or it is awake.
    case queued
    /// The item is in, and the caller must wake the loop, then call `didSend`.
    case queuedAndWake
    /// The item was refused.
    case closed
  }

  /// An empty inbox in memory of its own, until `free()`.
  init() {
    // 128: two lines, as processors fetch them in pairs.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
    cells = memory.bindMemory(to: Cells.self, capacity: 1)
    cells.initialize(to: Cells(word: Atomic(0), senders: Atomic(0)))
    (memory + Self.bufferOffset).initializeMemory(as: ItemBuffer.self, to: ItemBuffer())
    word = InboxWord(memory.assumingMemoryBound(to: Atomic<UInt32>.self))
  }

  /// Frees the memory; no thread may know the inbox any more.
  func free() {
    buffer.pointee.free()
    cells.deinitialize(count: 1)
    UnsafeMutableRawPointer(cells).deallocate()
  }
}

extension Inbox {
  /// Adds `item` behind all others.
  ///
  /// Call from any thread. Wait-free but for the lock, which is held for a copy.
  @inline(__always)
  func append(_ item: PostedItem) -> Outcome {
    let flags = word.lock()
    if _slowPath(flags & InboxWord.closed != 0) {
      word.unlock(adding: 0)
      return .closed
    }
    buffer.pointee.append(item)
    let filled = flags & InboxWord.filled == 0 ? InboxWord.filled : 0
    if _fastPath(flags & InboxWord.asleep == 0) {
      word.unlock(adding: filled)
      return .queued
    }
    return unlockAndDecide(adding: filled)
  }

  /// Says that the wake which `append` or `request` asked for was sent.
  func didSend() {
    // Release: the closer sees the write done before it closes the descriptor.
    cells.pointee.senders.subtract(1, ordering: .releasing)
  }

  /// Sets `flags` without taking the lock; true if the caller must wake the
  /// loop, then call `didSend`.
  ///
  /// Call from any thread, and from a signal handler.
  func request(_ flags: UInt32) -> Bool {
    // Sequentially consistent with `close`: it sees this sender, or this
    // sender sees `closed`.
    cells.pointee.senders.add(1, ordering: .sequentiallyConsistent)
    let old = word.add(flags)
    let isAsleep = old & (InboxWord.asleep | InboxWord.closed) == InboxWord.asleep
    if isAsleep, word.clear(InboxWord.asleep) { return true }
    didSend()
    return false
  }

  @inline(never)
  private func unlockAndDecide(adding filled: UInt32) -> Outcome {
    // Counted under the lock, so that a closer waits for the write to come.
    cells.pointee.senders.add(1, ordering: .relaxed)
    word.unlock(adding: filled)
    if word.clear(InboxWord.asleep) { return .queuedAndWake }
    didSend()
    return .queued
  }
}

// What follows is called on the loop.
extension Inbox {
  /// Whether anything was posted and not taken yet.
  @inline(__always)
  var isFilled: Bool { word.flags & InboxWord.filled != 0 }

  /// Lets posts wake the loop from now on; false if there is something already.
  @inline(__always)
  func sleep() -> Bool { word.sleep() }

  /// Spares posts the wake from now on.
  @inline(__always)
  func awake() {
    if word.flags & InboxWord.asleep != 0 { _ = word.awake() }
  }

  /// Whether `flag` was requested; it is not any more.
  @inline(__always)
  func takeRequest(_ flag: UInt32) -> Bool { word.flags & flag != 0 && word.clear(flag) }

  /// Swaps what was posted for `other`, which must be empty.
  func take(into other: inout ItemBuffer) {
    let flags = word.lock()
    swap(&buffer.pointee, &other)
    if flags & InboxWord.filled != 0 {
      word.unlock(clearing: InboxWord.filled)
    } else {
      word.unlock(adding: 0)
    }
  }

  /// How many items wait. Takes the lock.
  var count: Int {
    _ = word.lock()
    defer { word.unlock(adding: 0) }
    return buffer.pointee.count
  }

  /// Refuses posts from now on, and waits for wakes on their way.
  func close() {
    let flags = word.lock()
    word.unlock(adding: flags & InboxWord.closed == 0 ? InboxWord.closed : 0)
    // Acquire: pairs with `didSend`.
    while cells.pointee.senders.load(ordering: .sequentiallyConsistent) != 0 { System.yield() }
  }
}
