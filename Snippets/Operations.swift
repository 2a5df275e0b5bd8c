// A scheduler runs the most urgent first, in the order added within a priority. What
// waits can be moved, and cancelled. One worker, which is busy until all is said.
//
// Prints:
//   waits: 4
//   draws title
//   draws cover
//   draws footnote
//   cancelled: 1

import Dispatch
import LoopTransactions

let scheduler = OperationScheduler("drawing", workerLimit: 1)
let (begun, allIsSaid) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
let ended = DispatchSemaphore(value: 0)
scheduler.add { _ in
  begun.signal()
  allIsSaid.wait()
}
begun.wait()

func draw(_ name: String, _ priority: OperationPriority) -> ScheduledOperation {
  scheduler.add(priority: priority) { operation in
    if !operation.isCancelled { print("draws", name) }
    ended.signal()
  }
}

_ = draw("cover", .normal)
let footnote = draw("footnote", .high)
let title = draw("title", .low)
let margin = draw("margin", .high)
print("waits:", scheduler.metrics.queued)
title.setPriority(.interactive)
footnote.setPriority(.background)
margin.cancel()

allIsSaid.signal()
for _ in 1...3 { ended.wait() }
print("cancelled:", scheduler.metrics.cancelled)
