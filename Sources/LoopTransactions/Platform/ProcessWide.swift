import Synchronization

/// An object that exists once per process. It is created at the first access,
/// and again in a forked child.
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
  // An address that is never released. The parent's object is kept in a child,
  // because a thread that does not exist there may hold its locks.
  private let box = Atomic<UInt>(0)

  init(_ make: @escaping @Sendable () -> Value) { self.make = make }

  /// The object of this process. Call from any thread. Two threads may both
  /// create one, in which case one of the two is dropped.
  var value: Value {
    let generation = ForkGuard.install()
    while true {
      // Acquire: pairs with the release below, so the object's initialisation
      // is visible.
      let known = box.load(ordering: .acquiring)
      if let known = UnsafeRawPointer(bitPattern: known) {
        let box = Unmanaged<Box>.fromOpaque(known).takeUnretainedValue()
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
