package import Synchronization

/// The state of an inbox, and its lock, in one atomic word.
///
/// While `locked` is set, only its holder changes the word, and so gives the lock
/// back with a plain store. While it is not, every change is a compare-exchange
/// that sees the whole. So there is one step that a post begins with and that
/// tells it whether the loop sleeps: a wake-up is not lost to a flag that was
/// read before something was published. I3, I4.
package struct InboxWord {
  /// A thread is between `lock` and `unlock`.
  package static let locked: UInt32 = 1
  /// The loop blocks, or is about to: it wants to be woken.
  package static let asleep: UInt32 = 2
  /// Something was posted and not taken yet.
  package static let filled: UInt32 = 4
  /// Nothing is accepted any more.
  package static let closed: UInt32 = 8

  package struct Cells: ~Copyable {
    package let word = Atomic<UInt32>(0)
    /// How many threads sleep for the lock.
    package let waiters = Atomic<UInt32>(0)

    package init() {}
  }

  // In memory of its own: see `Inbox`.
  private let cells: UnsafeMutablePointer<Cells>

  /// Uses the cells at `pointer`.
  package init(_ pointer: UnsafeMutablePointer<Cells>) { cells = pointer }

  /// What the word says now. Acquire: pairs with the release in `unlock`.
  @inline(__always)
  package var flags: UInt32 { cells.pointee.word.load(ordering: .acquiring) }

  /// Takes the lock; returns the flags, without `locked`.
  @inline(__always)
  package func lock() -> UInt32 {
    let seen = cells.pointee.word.load(ordering: .relaxed)
    if seen & Self.locked == 0 {
      // Acquire: sees what the holder before us wrote.
      let (exchanged, old) = cells.pointee.word.weakCompareExchange(
        expected: seen,
        desired: seen | Self.locked,
        successOrdering: .acquiring,
        failureOrdering: .relaxed
      )
      if _fastPath(exchanged) { return old }
    }
    return lockSlowly()
  }

  /// Gives the lock back, leaving `flags`.
  @inline(__always)
  package func unlock(_ flags: UInt32) {
    // Release: publishes what was written under the lock.
    cells.pointee.word.store(flags, ordering: .releasing)
    // Relaxed, and no barrier before it: one that begins to wait just now may be
    // missed. It looks again by itself.
    if _slowPath(cells.pointee.waiters.load(ordering: .relaxed) != 0) { wakeWaiter() }
  }

  /// Refuses everything from now on.
  package func close() {
    let flags = lock()
    // Sequentially consistent with `claimWake`, so an exchange: who is not
    // counted yet by then finds it closed. Nobody waits that could not look by
    // itself.
    _ = cells.pointee.word.exchange(
      (flags | Self.closed) & ~Self.asleep,
      ordering: .sequentiallyConsistent
    )
  }

  /// Says that the loop is about to block; false if it must not.
  @inline(__always)
  package func sleep() -> Bool {
    // A post that comes later finds `asleep`; one that came before, or is at it,
    // left `filled` or `locked`, and the exchange fails. Sequentially consistent
    // with `claimWake`: the loop looks for requests after this.
    let (slept, old) = cells.pointee.word.compareExchange(
      expected: 0,
      desired: Self.asleep,
      ordering: .sequentiallyConsistent
    )
    return slept || old == Self.asleep
  }

  /// Takes it on to wake the loop if it sleeps, and nobody else does; whether
  /// the caller must. Takes no lock, so that a signal handler may call it.
  package func claimWake() -> Bool {
    var seen = cells.pointee.word.load(ordering: .sequentiallyConsistent)
    // Who holds the lock and finds the loop asleep wakes it, or is the loop.
    while seen & (Self.asleep | Self.locked | Self.closed) == Self.asleep {
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
  private func lockSlowly() -> UInt32 {
    // 100 pauses: a holder that is running is done by then. Guess.
    for _ in 0..<100 {
      System.pause()
      let seen = cells.pointee.word.load(ordering: .relaxed)
      if seen & Self.locked == 0, exchange(seen) { return seen }
    }
    return lockSleeping()
  }

  private func lockSleeping() -> UInt32 {
    // Relaxed: a hint to the holder, and no more.
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
