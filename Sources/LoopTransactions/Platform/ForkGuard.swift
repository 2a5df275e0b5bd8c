import CUV
import Synchronization

/// Counts the forks that led to this process, and tells whether a trace runs.
///
/// A loop stores the count at its creation. If the count differs later, the
/// loop was inherited through `fork` and its descriptors belong to the parent.
enum ForkGuard {
  /// Returns the generation of this process. The first call starts counting.
  static func install() -> Int32 {
    lt_count_forks()
    return generation
  }

  /// The number of forks that led to this process.
  static var generation: Int32 { Int32(truncatingIfNeeded: word) }

  /// The generation in the low 32 bits, and `trace` in the high 32 bits. So one
  /// comparison finds both rare cases.
  static var word: UInt64 { lt_process_word() }

  /// The number of the running trace, or 0.
  static var trace: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }

  /// Sets `trace`. Calls must not overlap.
  static func setTrace(_ number: UInt32) { lt_set_trace(number) }
}

/// An object that exists once per process. It is created at the first access,
/// and again in a forked child.
package final class ProcessWide<Value: AnyObject & Sendable>: Sendable {
  private final class Box: Sendable {
    let generation: Int32
    let value: Value

    init(_ value: Value, _ generation: Int32) {
      self.value = value
      self.generation = generation
    }
  }

  private let make: @Sendable () -> Value
  // The address of an object that is never released. A child keeps the parent's
  // object too, because a thread that does not exist in the child may hold the
  // object's locks.
  private let box = Atomic<UInt>(0)

  package init(_ make: @escaping @Sendable () -> Value) { self.make = make }

  /// The object of this process. Call from any thread. If two threads create
  /// the object at the same time, one of the two is dropped.
  package var value: Value {
    let generation = ForkGuard.install()
    while true {
      // Acquire: pairs with the release below, so the object's initialisation
      // is visible.
      let known = box.load(ordering: .acquiring)
      if let known = UnsafeRawPointer(bitPattern: known) {
        let box = known.object(as: Box.self)
        if box.generation == generation { return box.value }
      }
      let made = Unmanaged.passRetained(Box(make(), generation))
      // Release: publishes the object.
      let isOurs = box.compareExchange(
        expected: known,
        desired: UInt(bitPattern: made.toOpaque()),
        successOrdering: .releasing,
        failureOrdering: .relaxed
      ).exchanged
      if !isOurs { made.release() }
    }
  }
}
