// A worker finds 1000 rows and hands them to a list of the loop. The list is
// updated once per tick, and not once per row.
//
// Prints:
//   1000 rows, at most as many updates: true
//   the last one: row 1000

import LoopTransactions

/// Belongs to the loop, as a widget does.
final class List {
  private(set) var rows: [String] = []
  private(set) var updates = 0

  func append(_ new: [String]) {
    rows += new
    updates += 1
  }
}

// snippet.feed
/// Rows that any thread adds, and the loop shows.
final class Feed: Sendable {
  static let show = Selector<Feed>("show") { $0.show() }

  private let added = Locked<[String]>([])
  private let list: LoopBound<List>

  init(to list: List, on loop: EventLoop) {
    self.list = LoopBound(list, on: loop)
  }

  /// Call from any thread, and commit `show` afterwards.
  func add(_ row: String) { added.withLock { $0.append(row) } }

  /// Takes all rows that were added since the last call.
  private func show() {
    let rows = added.withLock { added in
      defer { added = [] }
      return added
    }
    list.withValue { $0.append(rows) }
  }
}
// snippet.end

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
let list = List()
// snippet.worker
let feed = Feed(to: list, on: loop)
let show = PortTransaction(feed, Feed.show, on: port)
OperationScheduler.shared.add { _ in
  for number in 1...1000 {
    feed.add("row \(number)")
    // One atomic operation while an earlier commit is pending.
    try? show.commit()
  }
  port.stop()
}
// snippet.end
loop.run()
print("\(list.rows.count) rows, at most as many updates:", list.updates <= 1000)
print("the last one:", list.rows.last ?? "none")
try loop.close()
