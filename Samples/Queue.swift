// A queue that delivers four cells per tick. A cell that is already queued is
// not queued twice.
//
// Prints:
//   tick
//   cell 1
//   cell 2
//   cell 3
//   cell 4
//   tick
//   cell 5
//   cell 6
//   drained

import LoopTransactions

final class Cell {
  private let number: Int

  init(_ number: Int) { self.number = number }

  func display() { print("cell", number) }
}

let loop = try EventLoop()
loop.budget = .unlimited  // delivers four even in a slow tick
loop.addObserver(for: .beforeWaiting, order: -1) { _ in print("tick") }
// snippet.queue
let queue = RunLoopQueue<Cell>(on: loop, batchSize: 4) { cell, isDrained in
  cell.display()
  if isDrained { print("drained") }
}
let cells = (1...6).map { Cell($0) }
for cell in cells + cells { queue.enqueue(cell) }
// snippet.end
loop.run()
try loop.close()
