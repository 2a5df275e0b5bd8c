import LoopTransactions

final class Label { var text = "" }
let layout = Selector<Label>("layout") { label in print("laid out:", label.text) }
let (loop, label) = (try EventLoop(), Label())
for text in ["a", "ab", "abc"] {
  label.text = text
  loop.commit(label, layout)  // three commits, one transaction
}
loop.run()  // prints "laid out: abc", once, and returns: nothing is left to wait for
try loop.close()
