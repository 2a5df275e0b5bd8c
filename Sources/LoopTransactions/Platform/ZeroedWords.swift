import CUV
import Synchronization

/// Atomic words that begin as 0, and that take no memory before they are
/// written.
struct ZeroedWords: @unchecked Sendable {
  // @unchecked: the address never changes, and the words are atomic.

  typealias Word = Atomic<UInt64>

  let base: UnsafeMutablePointer<Word>

  /// Allocates `count` words. Returns nil if the system is out of memory.
  init?(_ count: Int) {
    guard let memory = lt_allocate_zeroed(count * MemoryLayout<Word>.stride) else { return nil }
    // An atomic word is its value, and has no `deinit`.
    base = memory.bindMemory(to: Word.self, capacity: count)
  }

  /// Frees the words. They must not be used afterwards.
  func free() { lt_free_zeroed(base) }
}
