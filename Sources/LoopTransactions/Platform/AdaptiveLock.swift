import Synchronization

/// A value shared by several threads, protected by a lock that spins before it
/// blocks.
///
/// For critical sections of a few dozen instructions. A contender that spins
/// briefly usually gets the lock in less time than it takes to block. Not
/// recursive.
final class AdaptiveLock<Value: ~Copyable>: @unchecked Sendable {
  // @unchecked: `value` is only accessed by the holder of `word`.

  private struct Cells: ~Copyable {
    let word = Atomic<UInt32>(0)
    let sleepers = Atomic<UInt32>(0)
  }

  // Allocated separately, so that no other data shares their cache lines.
  private let cells: UnsafeMutablePointer<Cells>

  // Unchecked: the lock already makes accesses exclusive.
  @exclusivity(unchecked) private var value: Value

  private let longestPause: Int

  /// Creates a lock that protects `value`.
  ///
  /// - Parameter longestPause: The longest pause between two attempts of a
  ///   contender. If two threads take the lock all the time, a longer pause lets
  ///   each take it more often before it moves to the other thread's CPU.
  init(_ value: consuming Value, longestPause: Int) {
    self.longestPause = longestPause
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    cells = memory.bindMemory(to: Cells.self, capacity: 1)
    cells.initialize(to: Cells())
    self.value = value
  }

  deinit {
    cells.deinitialize(count: 1)
    UnsafeMutableRawPointer(cells).deallocate()
  }

  /// Calls `body` with the value while holding the lock.
  @inline(__always)
  func withLock<Result: ~Copyable>(_ body: (inout Value) -> Result) -> Result {
    if !tryLock() { lockSlowly() }
    defer { unlock() }
    return body(&value)
  }

  @inline(__always)
  private func tryLock() -> Bool {
    // Acquire: pairs with the release in `unlock()`.
    cells.pointee.word.load(ordering: .relaxed) == 0
      && cells.pointee.word.compareExchange(
        expected: 0,
        desired: 1,
        successOrdering: .acquiring,
        failureOrdering: .relaxed
      ).exchanged
  }

  @inline(__always)
  private func unlock() {
    // Release: publishes the writes made under the lock.
    cells.pointee.word.store(0, ordering: .releasing)
    // Relaxed, without a barrier: this may miss a thread that is about to
    // block. That thread's wait ends within 1 ms, and it tries again.
    if _slowPath(cells.pointee.sleepers.load(ordering: .relaxed) != 0) {
      System.wakeOne(on: cells)
    }
  }

  @inline(never)
  private func lockSlowly() {
    var backoff = Backoff(longestPause: longestPause)
    while backoff.spin() { if tryLock() { return } }
    cells.pointee.sleepers.add(1, ordering: .relaxed)
    defer { cells.pointee.sleepers.subtract(1, ordering: .relaxed) }
    while !tryLock() { System.wait(on: cells, while: 1) }
  }
}
