private import CLoopbench
import LoopTransactions

/// Threads that take calls from a list for each priority, under one mutex.
///
/// Like a scheduler's, its lists are linked in both directions, so that a call could be
/// cancelled. The oldest call is made after 31 others. It wakes a thread for each call.
final class HandPool: FunctionPool, @unchecked Sendable {
  // @unchecked: the pool locks itself, and `workers` is used only by the thread that opens and
  // closes it.

  static let name = "hand"
  static let summary =
    "C: a list for each of three priorities and one by age, under a mutex with a condition: a floor"
  static let poolSeries: [String] = []

  private let pool: OpaquePointer
  private var workers: [Worker] = []

  private final class Worker: Unreflected {
    private var thread: PlacedThread?

    init(_ thread: consuming PlacedThread) { self.thread = consume thread }

    func join() { thread.take()?.join() }
  }

  private init() throws(PeerError) {
    guard let pool = cl_hand_pool_open(UInt32(PoolLoad.workers)) else { throw .noMemory }
    self.pool = pool
  }

  static func open() throws(PeerError) -> HandPool {
    let hand = try HandPool()
    let pool = UnsafeTransfer(hand.pool)
    do throws(PeerError) {
      for _ in 0..<PoolLoad.workers {
        hand.workers.append(Worker(try PlacedThread(cpu: nil) { cl_hand_pool_run(pool.value) }))
      }
    } catch {
      hand.close()
      throw error
    }
    return hand
  }

  func add(_ call: PostedCall, _ priority: OperationPriority) {
    let level: Int32 =
      switch priority {
      case .high: 0
      case .low: 2
      default: 1
      }
    cl_hand_pool_add(pool, level, call.function, call.context)
  }

  func close() {
    cl_hand_pool_end(pool)
    for worker in workers { worker.join() }
    cl_hand_pool_close(pool)
  }
}
