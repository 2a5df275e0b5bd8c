// A loop on an actor and a loop on a serial queue: commits are coalesced and
// performed between the host's own work, on the host's thread.
//
// Prints:
//   1 draws 3 shapes
//   on the queue: true
//   refused: closed

import Dispatch
import LoopTransactions
import LoopTransactionsDispatch

// snippet.actor
actor Canvas {
  private static let draw = Selector<Canvas>("draw") { $0.draw() }
  private(set) var draws = 0
  private(set) var shapes = 0

  func makeHost() async throws -> ExecutorHost {
    try await .make(on: HostExecutor(self))
  }

  private func draw() { draws += 1 }

  /// Adds a shape. All shapes of a turn are drawn once.
  nonisolated func add(on port: LoopPort) throws {
    try port.post { [self] in
      assumeIsolated { canvas in
        canvas.shapes += 1
        EventLoop.current?.commit(canvas, Self.draw)
      }
    }
  }
}
// snippet.end

func useActor() async throws {
  let canvas = Canvas()
  let host = try await canvas.makeHost()
  // On the actor, so that the posts wait for one turn.
  try await { (canvas: isolated Canvas) in
    for _ in 0..<3 { try canvas.add(on: host.port) }
  }(canvas)
  try await host.close()
  print(await canvas.draws, "draws", await canvas.shapes, "shapes")
}

// snippet.queue
func useQueue() async throws {
  let queue = DispatchQueue(label: "storage")
  let host = try await ExecutorHost.make(on: HostExecutor(queue))
  try host.port.post {
    dispatchPrecondition(condition: .onQueue(queue))
    print("on the queue: true")
  }
  // Performs the posted work. The queue itself goes on.
  try await host.close()
  do { try host.port.post {} } catch { print("refused:", error) }
}
// snippet.end

try await useActor()
try await useQueue()
