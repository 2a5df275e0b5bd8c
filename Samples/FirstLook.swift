// Prints:
//   saved 1000 characters

import LoopTransactions

nonisolated final class Note {
  var text = ""
  func save() { print("saved \(text.count) characters") }
}
let save = Selector<Note>("save") { $0.save() }
let loop = try EventLoop(), note = Note()
for _ in 1...1000 {
  note.text += "a"
  loop.commit(note, save)  // adds it the first time only
}
loop.run()  // saves once, and returns when nothing is left to do
try loop.close()
