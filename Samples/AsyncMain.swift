// Runs an asynchronous main on a loop: DispatchQueue.main, Task.sleep and
// transactions share the process's first thread.
//
// Prints:
//   from the main queue
//   laid out: HELLO
//   on the loop after each await: true

import Dispatch
import LoopTransactions
import LoopTransactionsMain

final class Label: MainActorTarget {
  static let layout = Selector<Label>("layout") { $0.layOut() }
  var text = "" {
    didSet { EventLoop.main.commit(self, Label.layout) }
  }

  func layOut() { print("laid out:", text) }
}

@concurrent func load() async -> String { "HELLO" }

// snippet.main
@main
struct App {
  static func main() async throws {
    let label = Label()
    DispatchQueue.main.async { print("from the main queue") }
    let text = await load()
    label.text = "hel"
    label.text = text
    try await Task.sleep(for: .milliseconds(1))
    let isOnLoop = EventLoop.current === EventLoop.main
    print("on the loop after each await:", isOnLoop)
    // The process exits here, also if tasks remain.
  }
}
// snippet.end
