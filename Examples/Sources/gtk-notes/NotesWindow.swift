import CGTK
import LoopTransactions

/// The window. However often the model changes, transactions update the widgets once
/// before GTK's loop waits.
final class NotesWindow: MainActorTarget {
  static let showLines = Selector<NotesWindow>.withObservation("lines") { $0.showLines() }
  static let showStatus = Selector<NotesWindow>.withObservation("status") { $0.showStatus() }
  static let showTime = Selector<NotesWindow>("time") { $0.showTime() }

  private let notes: Notes
  private let window: OpaquePointer
  private let entry: OpaquePointer
  private let list: OpaquePointer
  private let status: OpaquePointer
  private let time: OpaquePointer
  private let main = g_main_loop_new(nil, 0)
  // GTK releases the widgets with the window.
  private var isClosed = false
  private var shownCount = 0
  private var seconds = 0
  private(set) var changes = 0
  private(set) var updates = 0

  init?(_ notes: Notes) {
    guard gtk_init_check() != 0, let window = gtk_window_new(), let entry = gtk_entry_new(),
      let list = gtk_list_box_new(), let status = gtk_label_new(""), let time = gtk_label_new("")
    else { return nil }
    self.notes = notes
    self.window = window
    self.entry = entry
    self.list = list
    self.status = status
    self.time = time
    layOut()
    connect()
  }

  /// Shows the window. Returns once it is closed and the notes are saved.
  func run(on loop: EventLoop) {
    for selector in [Self.showLines, Self.showStatus, Self.showTime] { loop.commit(self, selector) }
    let timer = loop.addTimer(after: .seconds(1), every: .seconds(1)) { [unowned loop, self] _ in
      MainActor.assumeIsolated {
        seconds += 1
        loop.commit(self, Self.showTime)
      }
    }
    gtk_window_present(window)
    gtk_widget_grab_focus(entry)
    g_main_loop_run(main)
    g_main_loop_unref(main)
    timer.cancel()
  }

  private func layOut() {
    gtk_window_set_title(window, "Notes")
    gtk_window_set_default_size(window, 420, 300)
    gtk_entry_set_placeholder_text(entry, "Type a note and press Return")
    guard let box = gtk_box_new(lt_gtk_vertical, 8), let scroll = gtk_scrolled_window_new() else {
      return
    }
    for set in [
      gtk_widget_set_margin_start, gtk_widget_set_margin_end, gtk_widget_set_margin_top,
      gtk_widget_set_margin_bottom,
    ] { set(box, 12) }
    gtk_scrolled_window_set_child(scroll, list)
    gtk_widget_set_vexpand(scroll, 1)
    for child in [entry, scroll, status, time] { gtk_box_append(box, child) }
    for label in [status, time] { gtk_label_set_xalign(label, 0) }
    gtk_window_set_child(window, box)
  }

  private func connect() {
    // The pointer does not retain this object, because the window is closed before
    // this object is released.
    let data = Unmanaged.passUnretained(self).toOpaque()
    connectSignal(entry, "changed", gtkTextChanged, data)
    connectSignal(entry, "activate", gtkReturnPressed, data)
    connectSignal(window, "destroy", gtkWindowClosed, data)
    guard let keys = gtk_event_controller_key_new() else { return }
    gtk_event_controller_set_propagation_phase(keys, lt_gtk_capture)
    connectKeys(keys, gtkKeyPressed, data)
    gtk_widget_add_controller(window, keys)
  }
}

// GTK signals.
extension NotesWindow {
  fileprivate func textChanged() {
    changes += 1
    notes.draft = gtk_editable_get_text(entry).map { String(cString: $0) } ?? ""
  }

  fileprivate func returnPressed() {
    notes.add()
    gtk_editable_set_text(entry, "")
  }

  fileprivate func escapePressed() { gtk_window_destroy(window) }

  fileprivate func windowClosed() {
    isClosed = true
    Task {
      await notes.finish()
      g_main_loop_quit(main)
    }
  }
}

// Transactions. If the window closes while a transaction is pending, the transaction
// has no widgets to update.
extension NotesWindow {
  private func showLines() {
    guard !isClosed else { return }
    for line in notes.lines[shownCount...] {
      guard let label = gtk_label_new(line) else { continue }
      gtk_label_set_xalign(label, 0)
      gtk_list_box_append(list, label)
    }
    shownCount = notes.lines.count
  }

  private func showStatus() {
    guard !isClosed else { return }
    updates += 1
    let words = notes.draft.split(separator: " ").count
    var text = "\(notes.lines.count) notes, \(notes.saved) saved"
    if !notes.draft.isEmpty { text += " · \(notes.draft.count) characters, \(words) words" }
    if let error = notes.saveError { text += " · \(error)" }
    gtk_label_set_text(status, text)
  }

  private func showTime() {
    guard !isClosed else { return }
    gtk_label_set_text(time, "open for \(seconds) s")
  }
}

// GTK's callbacks. They are functions because a closure in @MainActor code checks its
// executor on entry.
private func gtkTextChanged(_ sender: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) {
  withWindow(data) { $0.textChanged() }
}

private func gtkReturnPressed(
  _ sender: UnsafeMutableRawPointer?,
  _ data: UnsafeMutableRawPointer?
) {
  withWindow(data) { $0.returnPressed() }
}

private func gtkWindowClosed(_ sender: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) {
  withWindow(data) { $0.windowClosed() }
}

private func gtkKeyPressed(
  _ sender: UnsafeMutableRawPointer?,
  _ key: UInt32,
  _ code: UInt32,
  _ state: UInt32,
  _ data: UnsafeMutableRawPointer?
) -> Int32 {
  guard key == lt_gdk_escape else { return 0 }
  withWindow(data) { $0.escapePressed() }
  return 1
}

private func withWindow(_ data: UnsafeMutableRawPointer?, _ body: @MainActor (NotesWindow) -> Void)
{
  guard let data else { return }
  let window = Unmanaged<NotesWindow>.fromOpaque(data)
  MainActor.assumeIsolated { body(window.takeUnretainedValue()) }
}
