private import CLoopbench
import LoopTransactions

/// `drain` by a queue of the loop.
struct LTDrain: Peer {
  let name = "lt"
  let scenario = "drain"
  let series = DrainLoad.series
  let summary = "RunLoopQueue: exclusive, from any thread, a batch a tick under the budget"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try LTLoop.with { (loop) throws(PeerFailure) in measure(on: loop, &slice) }
  }

  private func measure(on loop: EventLoop, _ slice: inout Slice) {
    let targets = CommitTargets(count: slice.effort.operations)
    let batch = BatchSize(DrainLoad.batch(for: slice))
    let queue = RunLoopQueue<CommitTarget>(on: loop, batchSize: batch) { target, _ in
      target.perform()
    }
    slice.sample { _ in
      let began = cl_now()
      targets.forEach { queue.enqueue($0) }
      loop.run()
      return cl_now() - began
    }
  }
}
