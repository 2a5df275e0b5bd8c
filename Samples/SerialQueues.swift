// Serial queues on the workers of a scheduler. Each queue runs its closures in
// order, and different queues run concurrently.
//
// Prints:
//   queues: 2, next is the first again: true
//   first: a, c
//   second: b, d

import Dispatch
import LoopTransactions

/// Words in the order they arrived. Only one serial queue uses each page, so no
/// two threads use a page at once.
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
print("queues: \(pool.queues.count), next is the first again:", pool.next() === pool.queues[0])
for _ in 1...4 { ended.wait() }
print("first:", pages[0].words.joined(separator: ", "))
print("second:", pages[1].words.joined(separator: ", "))
