// An actor that runs on a loop, and a task that prefers the loop, so it calls
// the actor without changing threads.
//
// Prints:
//   on the loop: true
//   lines: 3

import LoopTransactions

// snippet.actor
actor Session {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    port.asUnownedSerialExecutor()
  }
  private(set) var lines: [String] = []

  init(on port: LoopPort) { self.port = port }

  func receive(_ line: String) {
    if lines.isEmpty { print("on the loop:", EventLoop.current != nil) }
    lines.append(line)
  }
}
// snippet.end

let loop = try EventLoop()
let port = loop.port
loop.waitsForPosts = true
// snippet.task
let session = Session(on: port)
Task.detached(executorPreference: port) {
  await session.receive("one")
  await session.receive("two")
  try? port.post { session.assumeIsolated { $0.receive("three") } }
  // Lets the post run first.
  await Task.yield()
  print("lines:", await session.lines.count)
  port.stop()
}
// snippet.end
loop.run()
try loop.close()
