import CUV
import Synchronization

/// A value that several threads share, protected by a mutex.
///
/// Wraps libuv's mutex, because ThreadSanitizer reports false races in
/// `Synchronization.Mutex` on Linux. The mutex is not recursive.
///
/// ```swift
/// let hits = Locked(0)
/// hits.withLock { $0 += 1 }
/// ```
public final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // @unchecked: `value` is only accessed while `mutex` is held.

  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)

  // Unchecked: the mutex already makes accesses exclusive; the dynamic check
  // would cost more than the lock.
  @exclusivity(unchecked) private var value: Value

  /// Creates a mutex that protects `value`.
  ///
  /// Traps if the system has no memory for a mutex.
  public init(_ value: consuming Value) {
    self.value = value
    let result = uv_mutex_init(mutex)
    guard result == 0 else {
      fatalError("Locked: \(UVError(code: result, operation: "uv_mutex_init"))")
    }
  }

  deinit {
    uv_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while holding the mutex.
  ///
  /// Call from any thread. Blocks while another thread holds the mutex. Calling
  /// `withLock` on the same object from inside `body` deadlocks.
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    return try body(&value)
  }
}

extension Locked: CustomReflectable where Value: ~Copyable {
  /// Empty, because reading the value could block.
  public var customMirror: Mirror {
    Mirror(self, children: [:], ancestorRepresentation: .suppressed)
  }
}

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
  func withLock<Result: ~Copyable>(_ body: (inout Value) -> Result) -> Result {
    if !tryLock() { waitForLock() }
    defer { unlock() }
    return body(&value)
  }

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
  private func waitForLock() {
    var backoff = Backoff(longestPause: longestPause)
    while backoff.spin() { if tryLock() { return } }
    cells.pointee.sleepers.add(1, ordering: .relaxed)
    defer { cells.pointee.sleepers.subtract(1, ordering: .relaxed) }
    while !tryLock() { System.wait(on: cells, while: 1) }
  }
}

/// Spins between attempts to acquire a lock, until it is time to block.
///
/// Never yields the CPU. On Linux a yield gives up the rest of the thread's time
/// slice, which takes milliseconds on busy CPUs.
package struct Backoff {
  // 500 pauses take 8 to 12 us on an AMD EPYC, about as long as it takes to block
  // and be woken on one CPU. On other CPUs a pause takes less or more time. Not
  // measured.
  private static let limit = 500

  private var pauses = 0
  private var next = 1
  private let longestPause: Int

  /// Spins for 1, 2, 4 and so on pauses of the CPU, up to `longestPause` at once.
  package init(longestPause: Int) {
    assert(longestPause > 0, "Backoff: longestPause must be at least 1, got \(longestPause)")
    self.longestPause = longestPause
  }

  /// Spins before the next attempt. Returns false if the thread must block
  /// instead.
  package mutating func spin() -> Bool {
    guard pauses < Self.limit else { return false }
    for _ in 0..<next { System.pause() }
    pauses += next
    next = min(next * 2, longestPause)
    return true
  }
}
