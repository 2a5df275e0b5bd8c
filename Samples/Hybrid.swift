// Prints:
//   nothing read yet
//   1 read, 5 letters; on the second loop: true
//   2 read, 11 letters; on the second loop: true

import LoopTransactions
import Observation

@MainActor @Observable
final class Model {
  var read = 0
  var letters = 0
  var isApart = false
}

/// Prints the model. The main loop calls `show` once, before it waits,
/// after a property that `show` read has changed.
final class Screen: MainActorTarget {
  static let show = Selector<Screen>.withObservation("show") { $0.show() }
  let model = Model()
  private func show() {
    guard model.read > 0 else { return print("nothing read yet") }
    print(
      "\(model.read) read, \(model.letters) letters;",
      "on the second loop: \(model.isApart)"
    )
  }
}

// snippet.index
/// Runs on a second loop, so that it never delays the first loop.
actor Index {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    port.asUnownedSerialExecutor()
  }
  private var letters = 0

  init(on port: LoopPort) { self.port = port }
  func add(_ text: String) -> (letters: Int, isApart: Bool) {
    letters += text.count
    return (letters, EventLoop.current?.port === port)
  }
}
// snippet.end

try EventLoop.runMain { loop in
  let screen = Screen()
  let workers = OperationScheduler("readers", workerLimit: 2)
  let second = try LoopThread(name: "second loop")
  loop.commit(screen, Screen.show)
  Task { @MainActor in
    defer { EventLoop.current?.stop() }
    let index = Index(on: second.port)
    for word in ["loops", "actors"] {
      let text = try await workers.run(priority: .interactive) { _ in
        word.uppercased()
      }
      (screen.model.letters, screen.model.isApart) = await index.add(text)
      screen.model.read += 1
    }
    second.stop()
    try await second.join()
  }
}
