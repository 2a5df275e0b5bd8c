private import CLoopbench
import LoopTransactions
import Synchronization

/// One thread that runs closures from a ring buffer. It is the floor, the minimum
/// that other pools are compared with.
///
/// It runs closures in FIFO order, ignores priorities, cannot cancel, and never
/// sleeps.
final class RingPool: FunctionPool, @unchecked Sendable {
  // @unchecked: `thread` is used only by the thread that opens and closes the
  // pool.

  static let name = "ring"
  static let summary = "closures through a ring to one thread that spins: the floor of any pool"
  static let poolSeries = ["empty", "transactions"]

  private let ring = ClosureRing()
  private let isClosed = Atomic<Bool>(false)
  private var thread: PlacedThread?

  static func open() throws(PeerError) -> RingPool {
    let pool = RingPool()
    pool.thread = try PlacedThread(cpu: nil) { [pool] in
      pool.ring.run { pool.isClosed.load(ordering: .relaxed) }
    }
    return pool
  }

  /// Ignores the priority. Call on the thread that opened the pool.
  func add(_ call: PostedCall, _ priority: OperationPriority) {
    ring.append { call() }
  }

  /// Posts each completion to the loop by itself.
  static func measureTransactions(_ slice: inout Slice) throws(PeerError) {
    try open().closing { (pool) throws(PeerError) in
      try EventLoop.measuring { (loop) throws(PeerError) in
        let finish = CompletionCounter(stop: EventLoop.stopFunction, context: loop.address)
        let (port, pointer) = (loop.port, UnsafeTransfer(finish.pointer))
        loop.waitsForPosts = true
        try slice.sample { (count) throws(PeerError) in
          finish.reset(target: count)
          let began = cl_now()
          for _ in 0..<count {
            pool.ring.append { try? port.post { cl_finish_step(pointer.value) } }
          }
          loop.run()
          return try finish.nanoseconds(since: began)
        }
      }
    }
  }

  func close() {
    // Relaxed: every closure has run, so no other data depends on this flag.
    isClosed.store(true, ordering: .relaxed)
    thread.take()?.join()
  }
}

/// A single-producer, single-consumer ring buffer of closures.
///
/// It shows the minimum cost of passing closures to another thread. Each closure is
/// created on one CPU, and is run and released on another CPU.
final class ClosureRing: @unchecked Sendable {
  // @unchecked: the writer owns a slot until `written` has passed it. From then on,
  // the reader owns the slot until `read` has passed it.

  typealias Body = @Sendable () -> Void

  private static let capacity = 1 << 12

  private let slots = UnsafeMutablePointer<Body?>.allocate(capacity: ClosureRing.capacity)
  private let written = Counter()
  private let read = Counter()

  /// An index that has its own cache lines.
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

    // Acquire and release: the index publishes the contents of the slots to the
    // other thread.
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

  /// Appends `body`. Yields while the ring is full. Call on one thread only.
  func append(_ body: @escaping Body) {
    let index = written.value
    while index - read.value == Self.capacity { cl_thread_yield() }
    slots[index % Self.capacity] = body
    written.value = index + 1
  }

  /// Runs the appended closures until `isOver` returns true. Call on one thread
  /// only, which does not append.
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
