// The program at the end of the page "Getting started": a timer, a worker and another
// thread change one label. Each tick lays it out once.
//
// Prints:
//   laid out: loading
//   laid out: the text of a file
//   laid out: from another thread

import Dispatch
import LoopTransactions

// snippet.label
final class Label {
  static let layout = Selector<Label>("layout") { label in
    print("laid out:", label.text)
  }

  var text = "" {
    didSet { loop.commit(self, Label.layout) }
  }

  private let loop: EventLoop

  init(on loop: EventLoop) { self.loop = loop }
}

let loop = try EventLoop()
let label = Label(on: loop)
// snippet.end

// snippet.timer
loop.addTimer(after: .milliseconds(10)) { _ in
  label.text = "load"
  label.text = "loading"
  loop.addTimer(after: .milliseconds(10)) { _ in load() }
}
// snippet.end

// snippet.worker
@MainActor
func load() {
  let transaction = AsyncTransaction(on: loop)
  transaction.add { _ in
    "the text of a file"  // runs on a worker thread
  } completion: { outcome in
    label.text = outcome.value ?? "no text"  // runs on the loop
    loop.whenIdle { post() }  // after the layout
  }
  transaction.commit()
}
// snippet.end

// snippet.thread
@MainActor
func post() {
  let port = loop.port
  let shared = LoopBound(label, on: loop)
  DispatchQueue.global().async {
    try? port.post { shared.withValue { $0.text = "from another thread" } }
    port.stop()
  }
}
loop.waitsForPosts = true
// snippet.end

loop.run()
try loop.close()
