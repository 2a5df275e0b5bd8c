// A thread changes a model 100,000 times and commits each time. The loop
// refreshes the view as often as it can, and always after the last change.
//
// Prints:
//   shows 100000 lines

import Dispatch
import LoopTransactions
import Synchronization

final class Log: Sendable {
  static let refresh = Selector<Log>("refresh") { $0.refresh() }

  let lines = Atomic(0)  // written by the thread
  let shown = Atomic(0)

  func refresh() { shown.store(lines.load(ordering: .relaxed), ordering: .relaxed) }
}

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
let log = Log()
// snippet.thread
let refresh = PortTransaction(log, Log.refresh, on: port)
DispatchQueue.global().async {
  for _ in 1...100_000 {
    log.lines.add(1, ordering: .relaxed)
    // While an earlier commit is pending, this is one atomic operation.
    try? refresh.commit()
  }
  port.stop()
}
// snippet.end
loop.run()
print("shows \(log.shown.load(ordering: .relaxed)) lines")
try loop.close()
