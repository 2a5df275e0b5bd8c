// Reads the metrics of a loop, including times.
//
// Prints:
//   performed 2, coalesced 3
//   posts 1
//   time was measured: true
//   the port says the same: true

import LoopTransactions

final class Page {
  static let draw = Selector<Page>("draw") { _ in }
}

let loop = try EventLoop()
loop.measuresTime = true
let port = loop.port
let pages = [Page(), Page()]
for page in pages + pages { loop.commit(page, Page.draw) }
loop.commit(pages[0], Page.draw)
try port.post {}
loop.addTimer(after: .milliseconds(2)) { _ in loop.stop() }
loop.run()

// snippet.metrics
let metrics = loop.metrics
print("performed \(metrics.performed), coalesced \(metrics.coalesced)")
print("posts \(metrics.posts)")
// snippet.end
print("time was measured:", metrics.busy + metrics.idle > .zero)
print("the port says the same:", port.metrics == metrics)
try loop.close()
