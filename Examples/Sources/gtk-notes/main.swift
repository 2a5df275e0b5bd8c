import CGTKHeaders
import Foundation
import LoopTransactions
import LoopTransactionsGLib
import NotesModel

// A window for writing and finding notes. The program runs GTK's main loop, and the EventLoop
// is a source of it. All files are read and written by workers, which also search.

func fail(_ message: String, code: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data("gtk-notes: \(message)\n".utf8))
  exit(code)
}

/// Runs the program. Returns the reason if it failed.
func run(_ options: Options) throws -> String? {
  let store = try NoteStore(folder: options.folder)
  let loop = try EventLoop()
  let scheduler = OperationScheduler("notes")
  // GTK's priority for drawing: a busy loop delays neither input nor frames. While the user
  // types or scrolls, one worker fewer runs.
  let priority = Int(G_PRIORITY_HIGH_IDLE) + 20
  let host = GLibHost(loop, priority: priority, interactiveSchedulers: [scheduler])
  let notes = Notes(store, on: loop, scheduler: scheduler)
  let window = NotesWindow(
    notes,
    in: options.folder,
    on: loop,
    meter: options.reports ? FrameMeter() : nil
  )
  for signal in [SIGTERM, SIGINT] { try loop.onSignal(signal) { window.terminate() } }
  // A write to a full disk with a quota for files then fails, instead of ending the program.
  signal(SIGXFSZ, SIG_IGN)
  window.present()
  notes.load {
    guard options.feed > 0 else { return }
    notes.feed(options.feed, perSecond: options.rate, at: Int(Date().timeIntervalSince1970))
  }
  while !window.isClosed { g_main_context_iteration(nil, 1) }
  host.cancel()
  try loop.close()
  if options.reports { print(report(window).joined(separator: "\n")) }
  return reasonOfFailure(notes)
}

func report(_ window: NotesWindow) -> [String] {
  let (notes, rows, editor) = (window.notes, window.sidebar.rows, window.editor)
  return [
    "\(notes.count) notes, \(notes.autosave.saves) saves of \(notes.autosave.files) files",
    "\(rows.made) rows made, at most \(rows.mostBound) shown, \(rows.binds) bound, "
      + "\(rows.refills) replaced, \(rows.refreshes) refreshed, \(rows.fills) filled, "
      + "\(rows.outdated) outdated",
    "\(editor.changes) changes, \(editor.commits) edits, \(window.sidebar.list.changes) lists",
  ] + (window.meter?.summary ?? [])
}

func reasonOfFailure(_ notes: Notes) -> String? {
  if case .failed(let reason) = notes.phase { return reason }
  if case .failed(let reason) = notes.autosave.state { return "not all notes are saved: \(reason)" }
  return notes.autosave.hasChanges ? "not all notes are saved" : nil
}

let options: Options
do { options = try Options(CommandLine.arguments.dropFirst()) } catch { fail("\(error)", code: 2) }
if options.wantsHelp {
  print(Options.help)
  exit(0)
}
guard gtk_init_check() != 0 else { fail("cannot open the display; set DISPLAY or WAYLAND_DISPLAY") }
do {
  if let reason = try run(options) { fail(reason) }
} catch { fail("\(error)") }
