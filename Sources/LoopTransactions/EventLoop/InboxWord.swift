import Synchronization

/// The state of an inbox, and its lock, in one atomic word.
///
/// Who finds `asleep` set and clears it owes the loop exactly one kernel write.
/// Deciding that on the word that also publishes is what loses no wake-up: no
/// flag is read before something is published. I3, I4.
struct InboxWord {
  /// A thread is between `lock` and `unlock`.
  static let locked: UInt32 = 1
  /// A thread sleeps until `locked` is cleared.
  static let contended: UInt32 = 2
  /// The loop blocks, or is about to: it wants to be woken.
  static let asleep: UInt32 = 4
  /// Something was posted and not taken yet. Changes under the lock only.
  static let filled: UInt32 = 8
  /// The loop is to come round once more although nothing was posted.
  static let wakeWanted: UInt32 = 16
  /// The loop's run is to return.
  static let stopWanted: UInt32 = 32
  /// Nothing is accepted any more. Changes under the lock only.
  static let closed: UInt32 = 64

  // In memory of its own: see `Inbox`.
  private let word: UnsafeMutablePointer<Atomic<UInt32>>

  /// Uses the word at `pointer`.
  init(_ pointer: UnsafeMutablePointer<Atomic<UInt32>>) { word = pointer }

  /// What the word says now. Acquire: pairs with the release in `unlock`.
  @inline(__always)
  var flags: UInt32 { word.pointee.load(ordering: .acquiring) }

  /// Takes the lock; returns the flags as they were.
  @inline(__always)
  func lock() -> UInt32 {
    let seen = word.pointee.load(ordering: .relaxed)
    if seen & Self.locked == 0 {
      // Acquire: sees what the holder before us wrote.
      let (exchanged, old) = word.pointee.weakCompareExchange(
        expected: seen,
        desired: seen | Self.locked,
        successOrdering: .acquiring,
        failureOrdering: .relaxed
      )
      if _fastPath(exchanged) { return old }
    }
    return lockSlowly()
  }

  /// Gives the lock back, adding `flags`, which must be clear.
  @inline(__always)
  func unlock(adding flags: UInt32) {
    // Release: publishes what was written under the lock. Sequentially
    // consistent with the loop's `sleep`: one of the two sees the other.
    let old = word.pointee.wrappingAdd(flags &- Self.locked, ordering: .acquiringAndReleasing)
      .oldValue
    if _slowPath(old & Self.contended != 0) { wakeWaiter() }
  }

  /// Gives the lock back, clearing `flags`, which must be set.
  @inline(__always)
  func unlock(clearing flags: UInt32) { unlock(adding: 0 &- flags) }

  /// Says that the loop is about to block; false if it must not.
  @inline(__always)
  func sleep() -> Bool {
    // Release and acquire: who posts afterwards sees `asleep`; who posted
    // before left `filled`, and the exchange fails.
    let (slept, old) = word.pointee.compareExchange(
      expected: 0,
      desired: Self.asleep,
      ordering: .acquiringAndReleasing
    )
    return slept || old == Self.asleep
  }

  /// Says that the loop is up: nobody needs to wake it. True for the one caller
  /// that found it asleep.
  @inline(__always)
  func awake() -> Bool {
    clear(Self.asleep)
  }

  /// Adds `flags` without the lock; returns the flags as they were.
  func add(_ flags: UInt32) -> UInt32 {
    word.pointee.bitwiseOr(flags, ordering: .acquiringAndReleasing).oldValue
  }

  /// Clears `flag`; true for the one caller that found it set.
  func clear(_ flag: UInt32) -> Bool {
    word.pointee.bitwiseAnd(~flag, ordering: .acquiringAndReleasing).oldValue & flag != 0
  }

  @inline(never)
  private func lockSlowly() -> UInt32 {
    // 100 pauses: a holder that is running is done by then. Guess.
    for _ in 0..<100 {
      System.pause()
      let seen = word.pointee.load(ordering: .relaxed)
      guard seen & Self.locked == 0 else { continue }
      if exchange(seen, seen | Self.locked) { return seen }
    }
    return lockSleeping()
  }

  private func lockSleeping() -> UInt32 {
    while true {
      let seen = word.pointee.load(ordering: .relaxed)
      if seen & Self.locked == 0 {
        // Others may sleep still: who slept keeps `contended` for them.
        if exchange(seen, seen | Self.locked | Self.contended) { return seen }
      } else if seen & Self.contended != 0 || exchange(seen, seen | Self.contended) {
        System.wait(on: word, while: seen | Self.contended)
      }
    }
  }

  private func exchange(_ expected: UInt32, _ desired: UInt32) -> Bool {
    word.pointee.compareExchange(
      expected: expected,
      desired: desired,
      successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  @inline(never)
  private func wakeWaiter() {
    _ = clear(Self.contended)
    System.wakeOne(on: word)
  }
}
