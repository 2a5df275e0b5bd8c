// While a user gives input, background operations leave a worker free.
//
// Prints:
//   interactive: true
//   interactive: false

import LoopTransactions

let loop = try EventLoop()
let scheduler = OperationScheduler("pictures")

// snippet.mode
let mode = InteractiveMode(
  of: [scheduler],
  on: loop,
  quietTime: .milliseconds(50)
)
mode.inputArrived()  // in the callback for scrolling, keys and touches
// snippet.end
print("interactive:", scheduler.isInteractive)
loop.addTimer(after: .milliseconds(200)) { _ in
  print("interactive:", scheduler.isInteractive)
}
loop.run()
try loop.close()
