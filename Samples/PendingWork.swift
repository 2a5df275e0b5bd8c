// Work that shares the tick's budget. The observer rests until there is work,
// and carries over the work that exceeds the budget.
//
// Prints:
//   tick 1: drew 1 2
//   tick 1: laid out
//   tick 2: drew 3 4
//   tick 3: drew 5

import LoopTransactions

// snippet.thumbnails
final class Thumbnails {
  private var waiting: [Int] = []
  private var observer: Observer?
  private let loop: EventLoop

  init(on loop: EventLoop) {
    self.loop = loop
    // Also called at `exit`, so that a run that is stopped draws all
    // waiting items.
    observer = loop.addObserver(for: [.beforeWaiting, .exit]) {
      [unowned self] _ in draw()
    }
    observer?.isResting = true
  }

  func add(_ number: Int) {
    waiting.append(number)
    // The loop neither blocks nor ends before it has called the observer.
    observer?.hasPendingWork = true
  }

  private func draw() {
    var drawn: [Int] = []
    repeat {
      drawn.append(waiting.removeFirst())
    } while loop.budgetAllowsMore() && !waiting.isEmpty
    let list = drawn.map(String.init).joined(separator: " ")
    print("tick \(loop.metrics.ticks): drew", list)
    observer?.hasPendingWork = !waiting.isEmpty
  }
}
// snippet.end

final class Label {
  static let layout = Selector<Label>("layout") { _ in
    print("tick \(EventLoop.current?.metrics.ticks ?? 0): laid out")
  }
}

let loop = try EventLoop()
loop.budget = EventLoop.Budget(count: 2)
let thumbnails = Thumbnails(on: loop)
for number in 1...5 { thumbnails.add(number) }
loop.commit(Label(), Label.layout)
loop.run()
try loop.close()
