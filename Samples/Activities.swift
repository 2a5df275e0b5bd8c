// A task awaits an activity of a loop.
//
// Prints:
//   received beforeWaiting

import LoopTransactions

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
// snippet.task
let activities = loop.activities(.beforeWaiting)
Task.detached {
  for await activity in activities {
    print("received", activity)
    break
  }
  port.stop()
}
// snippet.end
loop.run()
try loop.close()
