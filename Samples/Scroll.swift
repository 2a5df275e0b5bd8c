// A transaction that carries a value. Values committed before the tick are
// merged.
//
// Prints:
//   scrolled by 30.0

import LoopTransactions

// snippet.list
final class List {
  static let scroll = Selector<List>.Carrying<Double>("scroll", merge: +) {
    $0.scroll(by: $1)
  }

  func scroll(by distance: Double) { print("scrolled by", distance) }
}
// snippet.end

let loop = try EventLoop()
let list = List()
// snippet.commit
for distance in [10.0, 15, 5] { loop.commit(list, List.scroll, distance) }
// snippet.end
loop.run()
try loop.close()
