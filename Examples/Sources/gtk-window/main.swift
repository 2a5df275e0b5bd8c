import CGTK
import LoopTransactions
import LoopTransactionsGLib

// The program of the tutorial "A GTK window": an entry, and a label that shows the number
// of its words. Return closes the window.

// snippet.window
/// An entry, and a label below it. Belongs to the main actor.
final class WordWindow: MainActorTarget {
  static let show = Selector<WordWindow>("show") { $0.show() }

  private(set) var changes = 0
  private(set) var updates = 0
  private var isClosed = false
  private let loop: EventLoop
  private let main = g_main_loop_new(nil, 0)
  private let window: OpaquePointer
  private let entry: OpaquePointer
  private let label: OpaquePointer

  init?(on loop: EventLoop) {
    guard gtk_init_check() != 0, let window = gtk_window_new(), let entry = gtk_entry_new(),
      let label = gtk_label_new("0 words"), let box = gtk_box_new(lt_gtk_vertical, 8)
    else { return nil }
    (self.loop, self.window, self.entry, self.label) = (loop, window, entry, label)
    gtk_box_append(box, entry)
    gtk_box_append(box, label)
    gtk_window_set_title(window, "Words")
    gtk_window_set_child(window, box)
    connect(entry, "changed", gtkTextChanged)
    connect(entry, "activate", gtkReturnPressed)
    connect(window, "destroy", gtkWindowClosed)
  }

  /// Shows the window. Returns once it is closed.
  func run() {
    gtk_window_present(window)
    gtk_widget_grab_focus(entry)
    g_main_loop_run(main)
    g_main_loop_unref(main)
  }
}
// snippet.end

// snippet.changes
extension WordWindow {
  fileprivate func textChanged() {
    changes += 1
    loop.commit(self, WordWindow.show)  // once per tick, however many changes there are
  }

  private func show() {
    guard !isClosed, let text = gtk_editable_get_text(entry).map({ String(cString: $0) }) else {
      return
    }
    updates += 1
    let transaction = AsyncTransaction(on: loop)
    transaction.add { _ in
      text.split(separator: " ").count  // on a worker
    } completion: { [self] outcome in
      guard !isClosed, let count = outcome.value else { return }
      gtk_label_set_text(label, "\(count) words")  // on GTK's thread
    }
    transaction.commit()
  }

  fileprivate func close() { gtk_window_destroy(window) }

  fileprivate func closed() {
    isClosed = true
    g_main_loop_quit(main)
  }
}
// snippet.end

// snippet.signals
extension WordWindow {
  typealias Handler = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

  /// Calls `handler` when `sender` emits a signal. GTK does not retain the window: it is closed
  /// before this object is released.
  private func connect(_ sender: OpaquePointer, _ signal: String, _ handler: Handler) {
    let data = Unmanaged.passUnretained(self).toOpaque()
    let erased = unsafeBitCast(handler, to: lt_gtk_callback.self)
    g_signal_connect_data(UnsafeMutableRawPointer(sender), signal, erased, data, nil, 0)
  }
}

// Functions at file scope, because a closure in main-actor code checks its executor on entry.
func gtkTextChanged(_ sender: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) {
  withWindow(data) { $0.textChanged() }
}

func gtkReturnPressed(_ sender: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) {
  withWindow(data) { $0.close() }
}

func gtkWindowClosed(_ sender: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) {
  withWindow(data) { $0.closed() }
}

func withWindow(_ data: UnsafeMutableRawPointer?, _ body: @MainActor (WordWindow) -> Void) {
  guard let data else { return }
  let window = Unmanaged<WordWindow>.fromOpaque(data)
  MainActor.assumeIsolated { body(window.takeUnretainedValue()) }
}
// snippet.end

// snippet.main
let loop = try EventLoop()
// Runs @MainActor code and the blocks of DispatchQueue.main, too.
let bridge = try MainQueueBridge(on: loop)
let host = GLibHost(loop)
guard let window = WordWindow(on: loop) else {
  fatalError("gtk-window: cannot open the display")
}
window.run()
host.cancel()
try loop.close()
print("\(window.changes) changes shown by \(window.updates) updates")
// snippet.end
