// Queues on the workers of a scheduler: in order within each, at once among them.
//
// Prints:
//   queues: 2, again from the first: true
//   first: a, c
//   second: b, d

import Dispatch
import LoopTransactions

/// Words, in the order they came. Each is of one queue, which is all that keeps it
/// safe.
final class Page: @unchecked Sendable {
  var words: [String] = []
}

let pool = SerialQueuePool("pages", count: 2, on: OperationScheduler("pages"))
let pages = [Page(), Page()]
let ended = DispatchSemaphore(value: 0)
for (index, word) in ["a", "b", "c", "d"].enumerated() {
  let page = pages[index % 2]
  pool.next().add {
    page.words.append(word)
    ended.signal()
  }
}
print("queues: \(pool.queues.count), again from the first:", pool.next() === pool.queues[0])
for _ in 1...4 { ended.wait() }
print("first:", pages[0].words.joined(separator: ", "))
print("second:", pages[1].words.joined(separator: ", "))
