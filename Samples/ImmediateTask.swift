// A task that begins inside the callback that creates it. An ordinary task of an
// actor begins in a job that its loop runs later.
//
// Prints:
//   ordinary: created
//   immediate: begun
//   immediate: created
//   ordinary: begun
//   immediate: on the loop: true

import LoopTransactions

/// Belongs to a loop.
actor Session {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    port.asUnownedSerialExecutor()
  }

  init(on port: LoopPort) { self.port = port }

  // snippet.begin
  @available(macOS 26.0, *)
  func begin() {
    Task { note("ordinary: begun") }
    note("ordinary: created")
    Task.immediate(name: "session") {
      note("immediate: begun")
      await Task.yield()
      note("immediate: on the loop: \(EventLoop.current != nil)")
      port.stop()
    }
    note("immediate: created")
  }
  // snippet.end

  private func note(_ text: String) { print(text) }
}

let loop = try EventLoop()
let session = Session(on: loop.port)
loop.waitsForPosts = true
// snippet.observer
loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
  if #available(macOS 26.0, *) { session.assumeIsolated { $0.begin() } }
}
// snippet.end
loop.run()
try loop.close()
