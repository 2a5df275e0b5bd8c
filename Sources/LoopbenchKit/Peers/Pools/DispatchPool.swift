private import CLoopbench
internal import Dispatch

/// A concurrent dispatch queue; where operations differ in urgency, the global
/// queues.
struct DispatchPool: FunctionPool {
  static let name = "dispatch"
  static let summary =
    "DispatchQueue.async, concurrent; urgent and low to global queues of their QoS; its own width"
  static let poolSeries = ["empty", "transactions"]

  private let queue: DispatchQueue
  private let high = DispatchQueue.global(qos: .userInteractive)
  private let low = DispatchQueue.global(qos: .utility)

  static func open() -> DispatchPool {
    DispatchPool(
      queue: DispatchQueue(label: "loopbench", qos: .userInitiated, attributes: .concurrent)
    )
  }

  func add(
    _ function: @escaping PostedFunction,
    context: UnsafeMutableRawPointer?,
    _ urgency: Urgency
  ) {
    let shared = Shared(context)
    let queue =
      switch urgency {
      case .low: low
      case .normal: queue
      case .high: high
      }
    queue.async {
      // Another peer may have placed the thread.
      cl_thread_place(-1)
      function(shared.value)
    }
  }

  /// A completion goes to a serial queue: what stands for a loop.
  static func measureTransactions(_ slice: inout Slice) throws(PeerFailure) {
    let latch = try BurstLatch()
    let pool = open()
    let loop = DispatchQueue(label: "loopbench.loop", qos: .userInitiated)
    let address = Shared(latch.address)
    slice.sample { operations in
      latch.reset(count: operations)
      let began = cl_now()
      for _ in 0..<operations {
        pool.queue.async {
          cl_thread_place(-1)
          loop.async { BurstLatch.step(address.value) }
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
