import Foundation
import LoopTransactions
import LoopTransactionsGLib

// A GTK 4 window with an @Observable model. The program runs GTK's main loop. The
// EventLoop is a source of GTK's main loop. GTK's loop therefore also runs @MainActor
// code, timers and the completions of work on other threads.

func fail(_ message: String, code: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data("\(message)\n".utf8))
  exit(code)
}

guard CommandLine.arguments.count == 2 else { fail("usage: gtk-notes FILE", code: 2) }
let file = NotesFile(url: URL(fileURLWithPath: CommandLine.arguments[1]))
let notes: Notes
do { notes = try Notes(file) } catch { fail("gtk-notes: \(error)") }
let loop = try EventLoop()
let bridge = try MainQueueBridge(on: loop)
let host = GLibHost(loop)
guard let window = NotesWindow(notes) else { fail("gtk-notes: cannot open the display") }
window.run(on: loop)
host.cancel()
try loop.close()
print("\(notes.lines.count) notes, \(notes.saved) saved")
print("\(window.changes) changes shown by \(window.updates) updates")
if notes.saved < notes.lines.count {
  fail("gtk-notes: cannot save all notes: \(notes.saveError ?? "unknown error")")
}
