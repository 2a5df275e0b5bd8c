// Four ways to hand work to a loop: from its own thread, when it is idle, after
// a delay, and from a task that awaits the result. Then a loop that is owned by
// a call.
//
// Prints:
//   posted: 1
//   idle
//   delayed
//   the task read 1
//   the last timer

import LoopTransactions

/// Belongs to the loop's thread.
final class Page {
  var views = 0
}

let loop = try EventLoop()
let (port, page) = (loop.port, Page())
loop.waitsForPosts = true

// snippet.posts
loop.whenIdle { print("idle") }
loop.post {
  page.views += 1
  print("posted:", page.views)
}
// snippet.end
let bound = LoopBound(page, on: loop)
try port.post(after: .milliseconds(50)) {
  print("delayed")
  Task {
    let views = try await port.run { _ in bound.withValue { $0.views } }
    print("the task read", views)
    port.stop()
  }
}
loop.run()
try loop.close()

// snippet.owned
try EventLoop.run { loop in
  loop.addTimer(after: .milliseconds(1)) { _ in print("the last timer") }
}
// snippet.end
