// A stored transaction: two changes of a label cause one layout in the tick.
//
// Prints:
//   pending: true
//   laid out: now
//   pending: false

import LoopTransactions

// snippet.label
final class Label {
  static let layout = Selector<Label>("layout") { $0.layOut() }

  lazy var layout = Transaction(self, Label.layout, on: loop)
  var text = "" { didSet { layout.commit() } }

  private let loop: EventLoop

  init(on loop: EventLoop) { self.loop = loop }

  func layOut() { print("laid out:", text) }
}
// snippet.end

let loop = try EventLoop()
let label = Label(on: loop)
label.text = "soon"
label.text = "now"
print("pending:", label.layout.isPending)
loop.run()
print("pending:", label.layout.isPending)
try loop.close()
