// An event loop in Foundation's main run loop. DispatchHost has the same interface.
//
// Prints:
//   laid out: abc
//   timer

import Foundation
import LoopTransactions
import LoopTransactionsFoundation

final class Label {
  static let layout = Selector<Label>("layout") { label in
    print("laid out:", label.text)
  }
  var text = ""
}

// snippet.host
let loop = try EventLoop()
let host = try RunLoopHost(loop)
let label = Label()
var isDone = false
for text in ["a", "ab", "abc"] {
  label.text = text
  loop.commit(label, Label.layout)  // performed before the run loop waits
}
loop.addTimer(after: .milliseconds(5)) { _ in
  print("timer")
  isDone = true
}
while !isDone {
  _ = RunLoop.main.run(mode: .default, before: .distantFuture)
}
host.cancel()
try loop.close()
// snippet.end
