import Synchronization

/// A value that many threads share, each while it holds the lock, and each for some
/// dozens of instructions.
///
/// Who finds it held looks again for a while before it sleeps: what it waits for
/// takes less time than falling asleep. Not recursive.
final class AdaptiveLock<Value: ~Copyable>: @unchecked Sendable {
  // @unchecked: `value` is touched by the holder of `word` only.

  private struct Cells: ~Copyable {
    let word = Atomic<UInt32>(0)
    let sleepers = Atomic<UInt32>(0)
  }

  // In memory of its own, on lines of its own.
  private let cells: UnsafeMutablePointer<Cells>

  // Unchecked: the lock already makes accesses exclusive.
  @exclusivity(unchecked) private var value: Value

  /// Guards `value` from now on.
  init(_ value: consuming Value) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    cells = memory.bindMemory(to: Cells.self, capacity: 1)
    cells.initialize(to: Cells())
    self.value = value
  }

  deinit {
    cells.deinitialize(count: 1)
    UnsafeMutableRawPointer(cells).deallocate()
  }

  /// Runs `body` with the value, while no other thread does.
  @inline(__always)
  func withLock<Result: ~Copyable>(_ body: (inout Value) -> Result) -> Result {
    if !tryLock() { lockSlowly() }
    defer { unlock() }
    return body(&value)
  }

  @inline(__always)
  private func tryLock() -> Bool {
    // Acquire: sees what the holder before us wrote.
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
    // Release: publishes what was written under the lock.
    cells.pointee.word.store(0, ordering: .releasing)
    // Relaxed, and no barrier before it: one that falls asleep just now may be
    // missed. It looks again by itself.
    if _slowPath(cells.pointee.sleepers.load(ordering: .relaxed) != 0) {
      System.wakeOne(on: cells)
    }
  }

  @inline(never)
  private func lockSlowly() {
    // 100 pauses: a holder that is running is done by then. Guess.
    for _ in 0..<100 {
      System.pause()
      if tryLock() { return }
    }
    cells.pointee.sleepers.add(1, ordering: .relaxed)
    defer { cells.pointee.sleepers.subtract(1, ordering: .relaxed) }
    while !tryLock() { System.wait(on: cells, while: 1) }
  }
}
