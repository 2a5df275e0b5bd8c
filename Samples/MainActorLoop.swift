// Runs the main thread of a program on a loop. It serves @MainActor code,
// DispatchQueue.main, and transactions of a target that is isolated to the main
// actor.
//
// Prints:
//   from the main queue
//   laid out: HELLO

import Dispatch
import LoopTransactions

// snippet.label
final class Label: MainActorTarget {
  static let layout = Selector<Label>("layout") { $0.layOut() }
  var text = "" {
    didSet { EventLoop.current?.commit(self, Label.layout) }
  }

  func layOut() {
    print("laid out:", text)
    EventLoop.current?.stop()
  }
}
// snippet.end

@Sendable func load() async -> String { "HELLO" }

// snippet.main
try EventLoop.runMain { loop in
  let label = Label()
  DispatchQueue.main.async { print("from the main queue") }
  Task { @MainActor in
    let text = await load()
    label.text = "hel"
    label.text = text
  }
}
// snippet.end
