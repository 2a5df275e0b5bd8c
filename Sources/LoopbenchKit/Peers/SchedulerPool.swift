private import CLoopbench
import LoopTransactions

/// An `OperationScheduler`.
struct SchedulerPool: FunctionPool {
  static let name = "lt"
  static let summary = "OperationScheduler.add, on its own workers; AsyncTransaction on a loop"
  static let poolSeries = ["empty", "cancel", "transactions", "apply"]
  static let isReference = false

  private let scheduler: OperationScheduler
  private let limitBefore: Int

  static func open() -> SchedulerPool {
    let limit = OperationScheduler.processWorkerLimit
    OperationScheduler.processWorkerLimit = max(limit, PoolLoad.workers)
    return SchedulerPool(
      scheduler: OperationScheduler("loopbench", workerLimit: PoolLoad.workers),
      limitBefore: limit
    )
  }

  func add(_ call: PostedCall, _ priority: OperationPriority) {
    scheduler.add(priority: priority) { _ in call() }
  }

  func apply(_ count: Int, _ call: PostedCall) { scheduler.apply(count) { _ in call() } }

  func close() { OperationScheduler.processWorkerLimit = limitBefore }

  /// The operations cannot start before they are cancelled, because other
  /// operations occupy every worker.
  func cancel(_ count: Int) throws(PeerError) -> UInt64 {
    let (gate, held) = (Gate(), Gate())
    for _ in 0..<PoolLoad.workers {
      scheduler.add { _ in
        held.pass()
        gate.wait()
        gate.pass()
      }
    }
    for _ in 0..<PoolLoad.workers { held.wait() }
    let latch = UnsafeTransfer(UnsafeMutableRawPointer?.none)
    let operations = (0..<count).map { _ in
      scheduler.add { _ in CountDownLatch.step(latch.value) }
    }
    var cancelled = 0
    let began = cl_now()
    for operation in operations where operation.cancel() { cancelled += 1 }
    let nanoseconds = cl_now() - began
    gate.pass()
    guard cancelled == count else {
      throw PeerError("only \(cancelled) of \(count) operations were cancelled; the others ran")
    }
    return nanoseconds
  }
}

// `transactions`.
extension SchedulerPool {
  static func measureTransactions(_ slice: inout Slice) throws(PeerError) {
    let pool = open()
    defer { pool.close() }
    try EventLoop.measuring { (loop) throws(PeerError) in
      let finish = CompletionCounter(stop: EventLoop.stopFunction, context: loop.address)
      try slice.sample(to: finish) { count in
        for _ in 0..<count {
          let transaction = AsyncTransaction(on: loop, scheduler: pool.scheduler)
          transaction.add { _ in
          } completion: { _ in
            cl_finish_step(finish.pointer)
          }
          transaction.commit()
        }
        loop.run()
      }
      slice.count(loop.metrics.wakesSent, as: "wakes")
      slice.count(UInt64(slice.workload.warmUps + slice.workload.samples), as: "bursts")
    }
  }
}
