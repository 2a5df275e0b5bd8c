import Foundation
import LoopTransactions
import LoopTransactionsGLib

// A window of GTK 4 whose model is @Observable. GTK's loop is the main one: ours is a
// source in it, and so are @MainActor code, timers, and what workers have done.

func fail(_ complaint: String, code: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data("\(complaint)\n".utf8))
  exit(code)
}

guard CommandLine.arguments.count == 2 else { fail("usage: gtk-notes FILE", code: 2) }
let file = NotesFile(url: URL(fileURLWithPath: CommandLine.arguments[1]))
let notes: Notes
do { notes = try Notes(file) } catch { fail("gtk-notes: \(error)") }
let loop = try EventLoop()
let bridge = try MainQueueBridge(on: loop)
let host = GLibHost(loop)
guard let window = NotesWindow(notes) else { fail("gtk-notes: there is no display") }
window.run(on: loop)
host.cancel()
try loop.close()
print("\(notes.lines.count) notes, \(notes.saved) saved")
print("\(window.changes) changes shown by \(window.updates) updates")
if notes.saved < notes.lines.count {
  fail("gtk-notes: \(notes.complaint ?? "not all notes are saved")")
}
