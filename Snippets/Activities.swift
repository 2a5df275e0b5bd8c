// The ticks of a loop, taken by a task.
//
// Prints:
//   told of beforeWaiting

import LoopTransactions

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
let activities = loop.activities(.beforeWaiting)
Task.detached {
  for await activity in activities {
    print("told of", activity)
    break
  }
  port.stop()
}
loop.run()
try loop.close()
