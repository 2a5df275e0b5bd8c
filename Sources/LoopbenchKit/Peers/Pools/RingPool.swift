import Synchronization

/// One thread that runs closures from a ring: no pool, but the floor of one that takes
/// closures.
///
/// It keeps no order but their own, knows no priority, cancels nothing and never sleeps.
final class RingPool: FunctionPool, @unchecked Sendable {
  // @unchecked: `thread` belongs to who opens it, and closes it.

  static let name = "ring"
  static let summary = "closures through a ring to one thread that spins: the floor of any pool"
  static let poolSeries = ["empty"]

  private let ring = ClosureRing()
  private let isClosed = Atomic<Bool>(false)
  private var thread: PlacedThread?

  static func open() throws(PeerFailure) -> RingPool {
    let pool = RingPool()
    pool.thread = try PlacedThread(cpu: nil) { [pool] in
      pool.ring.run { pool.isClosed.load(ordering: .relaxed) }
    }
    return pool
  }

  /// Of one urgency; call on the thread that opened it.
  func add(
    _ function: @escaping PostedFunction,
    context: UnsafeMutableRawPointer?,
    _ urgency: Urgency
  ) {
    let context = Shared(context)
    ring.append { function(context.value) }
  }

  func close() {
    // Relaxed: every closure has run.
    isClosed.store(true, ordering: .relaxed)
    thread.take()?.join()
  }
}

extension RingPool: CustomReflectable {
  /// Empty: reflection traps at an atomic.
  var customMirror: Mirror { Mirror(self, children: [:], ancestorRepresentation: .suppressed) }
}
