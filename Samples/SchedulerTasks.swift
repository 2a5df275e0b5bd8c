// Tasks on the workers of a scheduler, ordered by priority.
//
// Prints:
//   3 thumbnails

import LoopTransactions

@Sendable func draw(_ name: String) async -> String { "thumbnail of \(name)" }

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
let scheduler = OperationScheduler("thumbnails", workerLimit: 2)
Task.detached(executorPreference: scheduler, priority: .high) {
  let drawn = await withTaskGroup(of: String.self) { group in
    for name in ["a", "b", "c"] { group.addTask { await draw(name) } }
    return await group.reduce(into: []) { $0.append($1) }
  }
  print(drawn.count, "thumbnails")
  port.stop()
}
loop.run()
try loop.close()
