package import Synchronization

/// The state of an inbox and its lock, in one atomic word.
///
/// While `locked` is set, only the holder of the lock changes the word, so it
/// releases the lock with a plain store. Otherwise every change is a
/// compare-exchange of the whole word. A post therefore locks the inbox and
/// learns whether the loop sleeps in a single step. It cannot lose a wake-up by
/// reading a flag too early. I3, I4.
package struct InboxWord {
  /// A thread holds the lock.
  package static let locked: UInt32 = 1
  /// The loop is blocked or about to block, and must be woken.
  package static let asleep: UInt32 = 2
  /// An item was posted and has not been taken yet.
  package static let filled: UInt32 = 4
  /// All items are refused.
  package static let closed: UInt32 = 8

  package struct Cells: ~Copyable {
    package let word = Atomic<UInt32>(0)
    /// The number of threads that are blocked on the lock.
    package let waiters = Atomic<UInt32>(0)

    package init() {}
  }

  // In memory of its own; see `Inbox`.
  private let cells: UnsafeMutablePointer<Cells>

  /// Uses the cells at `pointer`.
  package init(_ pointer: UnsafeMutablePointer<Cells>) { cells = pointer }

  /// The current flags. Acquire: pairs with the release in `unlock`.
  @inline(__always)
  package var flags: UInt32 { cells.pointee.word.load(ordering: .acquiring) }

  /// Acquires the lock. Returns the flags without `locked`.
  @inline(__always)
  package func lock() -> UInt32 {
    let seen = cells.pointee.word.load(ordering: .relaxed)
    if seen & Self.locked == 0 {
      // Acquire: pairs with the release in `unlock`.
      let (exchanged, old) = cells.pointee.word.weakCompareExchange(
        expected: seen,
        desired: seen | Self.locked,
        successOrdering: .acquiring,
        failureOrdering: .relaxed
      )
      if _fastPath(exchanged) { return old }
    }
    return waitForLock()
  }

  /// Releases the lock and sets the word to `flags`.
  @inline(__always)
  package func unlock(_ flags: UInt32) {
    // Release: publishes the writes made under the lock.
    cells.pointee.word.store(flags, ordering: .releasing)
    // Relaxed, without a barrier: this may miss a thread that is about to
    // block. That thread's wait ends within 1 ms, and it tries again.
    if _slowPath(cells.pointee.waiters.load(ordering: .relaxed) != 0) { wakeWaiter() }
  }

  /// Makes the inbox refuse everything from now on.
  package func close() {
    let flags = lock()
    // Sequentially consistent with `claimWake`, so it must be an exchange: a
    // sender that is not counted yet sees `closed`. Threads blocked on the lock
    // are not woken, because their wait ends by itself.
    _ = cells.pointee.word.exchange(
      (flags | Self.closed) & ~Self.asleep,
      ordering: .sequentiallyConsistent
    )
  }

  /// Announces that the loop is about to block. Returns false if it must not.
  @inline(__always)
  package func sleep() -> Bool {
    // Relaxed: the loop has exchanged the word before, and checks for requests
    // again. A sender that changes the word after this load sees `asleep`.
    if cells.pointee.word.load(ordering: .relaxed) == Self.asleep { return true }
    // A later post sees `asleep`. An earlier or concurrent post has set
    // `filled` or `locked`, so the exchange fails. Sequentially consistent with
    // `claimWake`, because the loop checks for requests after this.
    let (slept, old) = cells.pointee.word.compareExchange(
      expected: 0,
      desired: Self.asleep,
      ordering: .sequentiallyConsistent
    )
    return slept || old == Self.asleep
  }

  /// Returns whether the caller must wake the loop, because the loop sleeps.
  /// Takes no lock, so a signal handler may call it.
  package func claimWake() -> Bool {
    var seen = cells.pointee.word.load(ordering: .sequentiallyConsistent)
    while seen & (Self.asleep | Self.closed) == Self.asleep {
      // Only the holder may change the word, and it may leave the loop asleep.
      // If it wakes the loop too, the second write ends one poll early.
      if seen & Self.locked != 0 { return true }
      let (exchanged, now) = cells.pointee.word.compareExchange(
        expected: seen,
        desired: seen & ~Self.asleep,
        ordering: .sequentiallyConsistent
      )
      if exchanged { return true }
      seen = now
    }
    return false
  }

  @inline(never)
  private func waitForLock() -> UInt32 {
    // A longest pause of 1 to 64 makes no measurable difference here.
    var backoff = Backoff(longestPause: 1)
    while backoff.spin() {
      let seen = cells.pointee.word.load(ordering: .relaxed)
      if seen & Self.locked == 0, exchange(seen) { return seen }
    }
    return lockSleeping()
  }

  private func lockSleeping() -> UInt32 {
    // Relaxed: only a hint for the holder.
    cells.pointee.waiters.add(1, ordering: .relaxed)
    defer { cells.pointee.waiters.subtract(1, ordering: .relaxed) }
    while true {
      let seen = cells.pointee.word.load(ordering: .relaxed)
      if seen & Self.locked == 0 {
        if exchange(seen) { return seen }
      } else {
        System.wait(on: cells, while: seen)
      }
    }
  }

  private func exchange(_ seen: UInt32) -> Bool {
    cells.pointee.word.compareExchange(
      expected: seen,
      desired: seen | Self.locked,
      successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  @inline(never)
  private func wakeWaiter() { System.wakeOne(on: cells) }
}
