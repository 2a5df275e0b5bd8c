import Synchronization

/// Something that a process has one of: made when it is first asked for, and anew in a
/// child that was forked.
final class ProcessWide<Value: AnyObject & Sendable>: Sendable {
  private final class Box: Sendable {
    let generation: Int
    let value: Value

    init(_ value: Value, _ generation: Int) {
      self.value = value
      self.generation = generation
    }
  }

  private let make: @Sendable () -> Value
  // An address; never released. That of the parent stays: a thread that the child does not have may
  // hold its locks.
  private let box = Atomic<UInt>(0)

  init(_ make: @escaping @Sendable () -> Value) { self.make = make }

  /// The one of this process. Any thread; it may be made twice, and one of them dropped.
  var value: Value {
    let generation = ForkGuard.install()
    while true {
      // Acquire: sees what its maker wrote.
      let known = box.load(ordering: .acquiring)
      if let known = UnsafeRawPointer(bitPattern: known) {
        let box = Unmanaged<Box>.fromOpaque(known).takeUnretainedValue()
        if box.generation == generation { return box.value }
      }
      let made = Unmanaged.passRetained(Box(make(), generation))
      // Release: publishes it.
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
