private import CLoopbench
internal import Dispatch
public import LoopTransactions
private import Synchronization

/// A pool of threads that runs several functions at once. The peers of `pool` and
/// `priority` differ only in their pool, which ``PoolPeer`` and ``PriorityPeer``
/// measure.
///
/// Neither the pool's threads nor the measuring thread are placed on CPUs,
/// because the comparison includes where the system runs them.
public protocol FunctionPool: FunctionRunner {
  /// The series of `pool` that measure this pool.
  static var poolSeries: [String] { get }

  /// Opens a pool of `PoolLoad.workers` threads.
  static func open() throws(PeerError) -> Self

  /// Adds a function call. Call from any thread, including from an added
  /// function.
  func add(_ call: PostedCall, _ priority: OperationPriority)

  /// Does the pool's work on the thread that adds functions, until every function
  /// has run. That thread calls it after its last call of `add`.
  func settle()

  /// Adds `count` functions, cancels them before they run, and returns the time in
  /// ns that the cancellations took.
  func cancel(_ count: Int) throws(PeerError) -> UInt64

  /// Calls a function `count` times, on the pool's threads and on the calling
  /// thread, and returns when all calls have returned.
  func apply(_ count: Int, _ call: PostedCall) throws(PeerError)

  /// Measures `transactions`.
  static func measureTransactions(_ slice: inout Slice) throws(PeerError)
}

/// A function with the context it is called with.
public struct PostedCall: @unchecked Sendable {
  // @unchecked: the caller of `add` allows any thread to use the context.
  /// The function.
  public let function: PostedFunction
  /// The argument of the function.
  public let context: PostedContext?

  package init(function: @escaping PostedFunction, context: PostedContext?) {
    (self.function, self.context) = (function, context)
  }

  /// Calls the function.
  public func callAsFunction() { function(context) }
}

/// The load of every peer of `pool` and `priority`.
public enum PoolLoad {
  /// The number of operations that may run at once.
  public static let workers = 4
}

extension FunctionPool {
  /// Does nothing.
  public func settle() {}

  /// Throws: the pool cannot cancel functions.
  public func cancel(_ count: Int) throws(PeerError) -> UInt64 {
    throw PeerError("\(Self.name) cannot cancel functions")
  }

  /// Throws: the pool cannot share calls with the calling thread.
  public func apply(_ count: Int, _ call: PostedCall) throws(PeerError) {
    throw PeerError("\(Self.name) cannot share calls with the calling thread")
  }

  /// Throws: the pool runs no completions on a loop.
  public static func measureTransactions(_ slice: inout Slice) throws(PeerError) {
    throw slice.unknownSeries
  }
}

/// libuv's own threads.
struct UVPool: FunctionPool {
  static let name = "uvwork"
  static let summary =
    "C on libuv: uv_queue_work, a request from malloc, its callback on the loop; no priorities"
  static let poolSeries = ["empty", "transactions"]

  private let loop: UnsafeTransfer<UnsafeMutableRawPointer>

  static func open() throws(PeerError) -> UVPool {
    guard let loop = cl_uv_work_open(UInt32(PoolLoad.workers)) else { throw .noLoop }
    return UVPool(loop: UnsafeTransfer(loop))
  }

  /// Ignores the priority. Call on the thread that opened the pool.
  func add(_ call: PostedCall, _ priority: OperationPriority) {
    cl_uv_work_add(loop.value, call.function, call.context, nil, nil)
  }

  /// Calls `function` on a worker, and then `completion` on the loop, both with `context`.
  func addRequest(
    _ function: @escaping PostedFunction,
    completion: @escaping PostedFunction,
    _ context: PostedContext
  ) {
    cl_uv_work_add(loop.value, function, context, completion, context)
  }

  func settle() { cl_uv_loop_run(loop.value) }

  static func measureTransactions(_ slice: inout Slice) throws(PeerError) {
    try open().closing { (pool) throws(PeerError) in
      let finish = CompletionCounter()
      try slice.sample(to: finish) { operations in
        for _ in 0..<operations {
          cl_uv_work_add(pool.loop.value, nil, nil, cl_finish_step, finish.pointer)
        }
        cl_uv_loop_run(pool.loop.value)
      }
    }
  }

  func close() { cl_uv_loop_close(loop.value) }
}

/// A concurrent dispatch queue. An operation whose priority is not normal goes to a
/// global queue.
struct DispatchPool: FunctionPool {
  static let name = "dispatch"
  static let summary =
    "DispatchQueue.async, concurrent; urgent and low to global queues of their QoS; its own width"
  static let poolSeries = ["empty", "transactions", "apply"]

  private let queue: DispatchQueue
  private let high = DispatchQueue.global(qos: .userInteractive)
  private let low = DispatchQueue.global(qos: .utility)

  static func open() -> DispatchPool {
    DispatchPool(
      queue: DispatchQueue(label: "loopbench", qos: .userInitiated, attributes: .concurrent)
    )
  }

  func add(_ call: PostedCall, _ priority: OperationPriority) {
    let queue =
      switch priority {
      case .low: low
      case .high: high
      default: queue
      }
    queue.async {
      // Another peer may have placed the thread.
      cl_thread_place(-1)
      call()
    }
  }

  func apply(_ count: Int, _ call: PostedCall) {
    DispatchQueue.concurrentPerform(iterations: count) { _ in call() }
  }

  /// Runs completions on a serial queue, because this pool has no loop.
  static func measureTransactions(_ slice: inout Slice) throws(PeerError) {
    let latch = CountDownLatch()
    let pool = open()
    let loop = DispatchQueue(label: "loopbench.loop", qos: .userInitiated)
    let address = UnsafeTransfer(latch.address)
    slice.sample { operations in
      latch.reset(count: operations)
      let began = cl_now()
      for _ in 0..<operations {
        pool.queue.async {
          cl_thread_place(-1)
          loop.async { CountDownLatch.step(address.value) }
        }
      }
      return latch.nanoseconds(since: began)
    }
    pool.close()
    loop.sync {}
    withExtendedLifetime(latch) {}
  }

  func close() { queue.sync(flags: .barrier) {} }
}

/// Swift's own threads, and its task priorities.
struct TaskPool: FunctionPool {
  static let name = "task"
  static let summary = "Task.detached with its priority, on as many threads as there are CPUs"
  static let poolSeries = ["empty"]

  static func open() -> TaskPool { TaskPool() }

  func add(_ call: PostedCall, _ priority: OperationPriority) {
    let priority: TaskPriority =
      switch priority {
      case .low: .low
      case .high: .high
      default: .medium
      }
    Task.detached(priority: priority) {
      // Another peer may have placed the thread.
      cl_thread_place(-1)
      call()
    }
  }
}

/// A counter that each operation of a burst decrements, on any worker. The last
/// operation records the time.
package final class CountDownLatch: Sendable {
  private let left = Atomic<Int>(0)
  private let finished = Atomic<UInt64>(0)
  private let gate = Gate()

  package init() {}

  /// Begins a burst of `count` operations.
  package func reset(count: Int) {
    finished.store(0, ordering: .relaxed)
    left.store(count, ordering: .relaxed)
  }

  /// An operation of the burst. Its context is the latch's `address`.
  package static let step: PostedFunction = { context in
    guard let context else { return }
    Unmanaged<CountDownLatch>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.step() }
  }

  /// The context to pass to `step`. Keep the latch alive until the pool is closed.
  package var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func step() {
    // Acquire and release: the last step happens after all other steps, so it
    // records the latest time.
    guard left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    finished.store(cl_now(), ordering: .relaxed)
    gate.pass()
  }

  /// Waits for the last operation. Returns the time from `began` until it ran, in
  /// ns.
  package func nanoseconds(since began: UInt64) -> UInt64 {
    gate.wait()
    // Relaxed: the gate orders this load after the store.
    return finished.load(ordering: .relaxed) - began
  }
}

extension CountDownLatch: Unreflected {}
