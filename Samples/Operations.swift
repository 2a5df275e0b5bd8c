// A scheduler runs operations of higher priority first, and operations of equal
// priority in the order they were added. Queued operations can change their
// priority and be cancelled. The only worker is kept busy until all operations
// are queued.
//
// Prints:
//   queued: 4
//   draws title
//   draws cover
//   draws footnote
//   cancelled: 1

import Dispatch
import LoopTransactions

let scheduler = OperationScheduler("drawing", workerLimit: 1)
let (begun, allQueued) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
let ended = DispatchSemaphore(value: 0)
scheduler.add { _ in
  begun.signal()
  allQueued.wait()
}
begun.wait()

// snippet.draw
func draw(
  _ name: String,
  _ priority: OperationPriority
) -> ScheduledOperation {
  scheduler.add(priority: priority) { operation in
    if !operation.isCancelled { print("draws", name) }
    ended.signal()
  }
}
// snippet.end

_ = draw("cover", .normal)
let footnote = draw("footnote", .high)
let title = draw("title", .low)
let margin = draw("margin", .high)
print("queued:", scheduler.metrics.queued)
// snippet.change
title.setPriority(.interactive)
footnote.setPriority(.background)
margin.cancel()
// snippet.end

allQueued.signal()
for _ in 1...3 { ended.wait() }
print("cancelled:", scheduler.metrics.cancelled)
