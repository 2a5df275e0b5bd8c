/// How the threads of one `apply` divide its indices. O14.
///
/// The indices below the claimed count belong to a thread; the others are free.
/// A thread claims a chunk with one compare-and-exchange of that count.
package struct ApplyChunks: Sendable {
  package let count: Int
  /// The number of threads that may take part.
  package let threads: Int

  package init(count: Int, threads: Int) {
    self.count = count
    self.threads = threads
  }

  /// The next chunk if `claimed` indices are claimed, or nil if all are.
  ///
  /// The chunks shrink: each is a thread's share of half of the free indices.
  /// The threads thus claim O(t log n) chunks, and a thread that stalls in the
  /// last ones holds back one index.
  // Half, as in factoring (Hummel, Schonberg and Flynn, 1992).
  package func next(claimed: Int) -> Range<Int>? {
    guard claimed < count else { return nil }
    return claimed..<claimed + max(1, (count - claimed) / (2 * threads))
  }
}

/// The calls of one `apply` that have not returned, packed into one atomic
/// word. O14.
package struct ApplyCalls {
  package private(set) var unended: Int
  /// Whether the thread that called `apply` sleeps until the last call has
  /// returned.
  package private(set) var hasWaiter = false

  package init(unended: Int) { self.unended = unended }

  /// Unpacks `word`.
  package init(word: UInt64) {
    unended = Int(word >> 1)
    hasWaiter = word & 1 != 0
  }

  /// The state, packed.
  package var word: UInt64 { UInt64(unended) << 1 | (hasWaiter ? 1 : 0) }

  /// Records that `count` calls have returned. Returns whether the caller must
  /// wake the waiting thread.
  package mutating func end(_ count: Int) -> Bool {
    unended -= count
    checkInvariants()
    return unended == 0 && hasWaiter
  }

  /// Registers the waiting thread. Returns false if all calls have returned.
  package mutating func beginWait() -> Bool {
    hasWaiter = unended > 0
    return hasWaiter
  }

  package func checkInvariants() {
    assert(unended >= 0, "ApplyCalls: more calls returned than were made: \(unended)")
  }
}
