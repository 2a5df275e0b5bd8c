// Prints:
//   shows abc

import LoopTransactions

nonisolated final class Label {
  func show(_ text: String) { print("shows", text) }
}
let show = Selector<Label>.Carrying<String>("show") { label, text in
  label.show(text)
}
let loop = try EventLoop(), label = Label()
for text in ["a", "ab", "abc"] { loop.commit(label, show, text) }
loop.run()
try loop.close()
