private import CLoopbench
import LoopTransactions
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
  func add(_ function: @escaping PostedFunction, context: PostedContext?, _ priority: OperationPriority) {
    let context = UnsafeTransfer(context)
    ring.append { function(context.value) }
  }

  func close() {
    // Relaxed: every closure has run.
    isClosed.store(true, ordering: .relaxed)
    thread.take()?.join()
  }
}

/// Closures from one thread to another, in their order, through memory that both see.
///
/// The least that handing closures over takes: each is made on one processor, and run
/// and released on the other.
final class ClosureRing: @unchecked Sendable {
  // @unchecked: a slot is the writer's until `written` is past it, and then the
  // reader's until `read` is.

  typealias Body = @Sendable () -> Void

  private static let capacity = 1 << 12

  private let slots = UnsafeMutablePointer<Body?>.allocate(capacity: ClosureRing.capacity)
  private let written = Counter()
  private let read = Counter()

  /// A place on lines of its own.
  private struct Counter: ~Copyable {
    private let place: UnsafeMutablePointer<Atomic<Int>>

    init() {
      place = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        .bindMemory(to: Atomic<Int>.self, capacity: 1)
      place.initialize(to: Atomic(0))
    }

    deinit {
      place.deinitialize(count: 1)
      UnsafeMutableRawPointer(place).deallocate()
    }

    // Acquire and release: what a slot holds goes from thread to thread by it.
    var value: Int {
      get { place.pointee.load(ordering: .acquiring) }
      nonmutating set { place.pointee.store(newValue, ordering: .releasing) }
    }
  }

  init() {
    slots.initialize(repeating: nil, count: Self.capacity)
  }

  deinit {
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  /// Hands `body` over; waits while the ring is full. On one thread.
  func append(_ body: @escaping Body) {
    let index = written.value
    while index - read.value == Self.capacity { cl_thread_yield() }
    slots[index % Self.capacity] = body
    written.value = index + 1
  }

  /// Runs what is handed over, on another thread, until `isOver`, which is asked between
  /// two looks.
  func run(until isOver: () -> Bool) {
    var index = read.value
    while !isOver() {
      let end = written.value
      if index == end { cl_thread_yield() }
      while index < end {
        if let body = slots[index % Self.capacity].take() { body() }
        index += 1
      }
      read.value = index
    }
  }
}

extension ClosureRing: Unreflected {}

extension RingPool: Unreflected {}
