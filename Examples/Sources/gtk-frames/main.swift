import CGTK
import Foundation
import LoopTransactions
import LoopTransactionsGLib
import Synchronization

// A thread counts without a pause, and a label shows the count once per frame of GTK's own
// frame clock. The window closes after 30 frames, while the thread still commits.

// snippet.window
/// A label with a count. Belongs to the main actor.
final class CountWindow: MainActorTarget {
  static let show = Selector<CountWindow>("show") { $0.show() }
  static let close = Selector<CountWindow>("close") { $0.close() }

  let count = Atomic(0)  // any thread
  private(set) var shows = 0
  private(set) var changes = 0
  private var clock: FrameClock?
  private var isClosed = false
  private let loop: EventLoop
  private let main = g_main_loop_new(nil, 0)
  private let window: OpaquePointer
  private let label: OpaquePointer

  init?(on loop: EventLoop) {
    guard gtk_init_check() != 0,
      let window = gtk_window_new(), let label = gtk_label_new("0")
    else { return nil }
    (self.loop, self.window, self.label) = (loop, window, label)
    gtk_window_set_title(window, "Count")
    gtk_window_set_child(window, label)
    connect("notify::label", of: label, withParameterTo: gtkPropertyChanged)
    connect("destroy", of: window, to: gtkWindowClosed)
    gtk_window_present(window)
  }

  /// Returns once the window is closed.
  func run() {
    g_main_loop_run(main)
    g_main_loop_unref(main)
  }
}
// snippet.end

// snippet.clock
extension CountWindow {
  /// Makes a clock of GTK's frames. A window that was not presented has no
  /// GdkFrameClock.
  func followFrames() -> FrameClock? {
    guard let frames = gtk_widget_get_frame_clock(window)
    else { return nil }
    let clock = FrameClock(hostedOn: loop) {
      // Called when a commit needs a frame. GTK then emits "update" once.
      gdk_frame_clock_request_phase(frames, lt_gdk_update)
    }
    connect("update", of: frames, to: gtkFrameBegan)
    self.clock = clock
    return clock
  }

  fileprivate func frameBegan() { clock?.beginFrame() }

  private func show() {
    guard !isClosed else { return }
    shows += 1
    gtk_label_set_text(label, "\(count.load(ordering: .relaxed))")
    // In the next tick, because GTK needs the window until its frame ends.
    if shows == 30 { loop.commit(self, CountWindow.close) }
  }

  fileprivate func labelChanged() { changes += 1 }

  private func close() {
    if !isClosed { gtk_window_destroy(window) }
  }

  fileprivate func closed() {
    isClosed = true
    // The GdkFrameClock ends with the window.
    clock?.cancel()
    g_main_loop_quit(main)
  }
}
// snippet.end

// snippet.signals
typealias Pointer = UnsafeMutableRawPointer
typealias Object = OpaquePointer
typealias Callback = lt_gtk_callback

/// A handler of a signal without parameters: the sender, and the data.
typealias Handler = @convention(c) (Pointer?, Pointer?) -> Void

/// A handler of a signal with one parameter, such as "notify", which has a
/// GParamSpec: the sender, the parameter, and the data.
typealias ParameterHandler =
  @convention(c) (Pointer?, Pointer?, Pointer?) -> Void

extension CountWindow {
  func connect(_ signal: String, of sender: Object, to body: Handler) {
    let erased = unsafeBitCast(body, to: Callback.self)
    connect(signal, of: sender, erased: erased)
  }

  func connect(
    _ signal: String,
    of sender: Object,
    withParameterTo body: ParameterHandler
  ) {
    let erased = unsafeBitCast(body, to: Callback.self)
    connect(signal, of: sender, erased: erased)
  }

  /// GObject has one type for all handlers, and calls each with the
  /// arguments of its signal. Nothing checks their number.
  func connect(_ signal: String, of sender: Object, erased: Callback) {
    let data = Unmanaged.passUnretained(self).toOpaque()
    g_signal_connect_data(Pointer(sender), signal, erased, data, nil, 0)
  }
}

func gtkFrameBegan(_: Pointer?, _ data: Pointer?) {
  withWindow(data) { $0.frameBegan() }
}

func gtkPropertyChanged(_: Pointer?, _: Pointer?, _ data: Pointer?) {
  withWindow(data) { $0.labelChanged() }
}

func gtkWindowClosed(_: Pointer?, _ data: Pointer?) {
  withWindow(data) { $0.closed() }
}

func withWindow(
  _ data: Pointer?,
  _ body: @MainActor (CountWindow) -> Void
) {
  guard let data else { return }
  let window = Unmanaged<CountWindow>.fromOpaque(data)
  MainActor.assumeIsolated { body(window.takeUnretainedValue()) }
}
// snippet.end

/// Ends the program with a message and code 1.
func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("gtk-frames: \(message)\n".utf8))
  exit(1)
}

let loop: EventLoop
do { loop = try EventLoop() } catch { fail("\(error)") }
let host = GLibHost(loop)
guard let window = CountWindow(on: loop), let clock = window.followFrames() else {
  fail("cannot open the display")
}
// snippet.thread
let refresh = PortTransaction(
  window,
  CountWindow.show,
  on: loop.port,
  atNextFrameOf: clock
)
let counter = try LoopThread(name: "counter")
try counter.port.post {
  do {
    while true {
      window.count.add(1, ordering: .relaxed)
      // Wakes the loop at most once per frame.
      try refresh.commit()
    }
  } catch {
    print("refused:", error)
  }
}
// snippet.end
// snippet.end-of-program
window.run()
host.cancel()
// Performs all accepted work. From now on commits and posts throw.
try loop.close()
// The thread has ended its work, because its commit threw.
counter.stop()
try counter.join()
print("\(window.shows) shows, \(window.changes) changes")
// snippet.end
