import CWayland
import ClientHost
import Foundation
import LoopTransactions

// usage: wayland-windows SOCKET [--gtk]
// Opens a window on the Wayland compositor at SOCKET, an absolute path, for each line of
// standard input, with that title. Prints each title when the compositor has shown it.

/// A window. Belongs to the loop's thread.
final class Window {
  private let (title, desktop): (String, Desktop)
  private var window = lt_window()
  // The number of the compositor's newest proposal for the window.
  private var serial: UInt32 = 0

  init(_ title: String, on desktop: Desktop) { (self.title, self.desktop) = (title, desktop) }

  /// Makes the next requests of the window, with at most 128 bytes.
  func advance() {
    if window.surface == nil {
      lt_open(&window, &desktop.objects, title, pointer(to: self)) { window, serial, _ in
        guard let window = object(Window.self, at: window) else { return }
        window.serial = serial
        window.desktop.due.append(window)
      }
    } else {
      lt_draw(&window, &desktop.objects, serial, pointer(to: self)) { window, _, _ in
        guard let window = object(Window.self, at: window) else { return }
        window.desktop.shown += 1
        say(window.title + " is shown")
      }
    }
  }

  func forget() { lt_forget(&window) }
}

/// A connection to a compositor. Belongs to the loop's thread.
final class Desktop {
  private let (loop, path): (EventLoop, String)
  private var watcher: DescriptorWatcher?
  // While a read is announced, other threads that read wait for it.
  private var isReading = false
  private var (windows, connections): ([Window], Int) = ([], 0)
  fileprivate var objects = lt_desktop()
  // The windows that have requests to make.
  fileprivate var due: [Window] = []
  fileprivate var shown = 0

  init(at path: String, on loop: EventLoop) {
    (self.loop, self.path) = (loop, path)
    // Once in each tick, after all requests and events of that tick.
    loop.addObserver(for: .beforeWaiting) { [unowned self] _ in exchange() }
  }

  var summary: String { "windows \(windows.count), shown \(shown), connections \(connections)" }

  func open(_ title: String) {
    windows.append(Window(title, on: self))
    if objects.picture != nil { due.append(windows[windows.count - 1]) }
  }

  /// Waits for the compositor, as libraries for drawing do.
  func roundtrip() {
    guard let display = objects.display else { return }
    say("waits")
    // Otherwise this thread would wait for its own read.
    if isReading { wl_display_cancel_read(display) }
    isReading = false
    lt_roundtrip(display)
  }
}

// The connection.
extension Desktop {
  func connect() {
    let found: lt_event = { object(Desktop.self, at: $0)?.found($1, $2) }
    guard lt_connect(&objects, path, pointer(to: self), found) else { return fail() }
    let display = objects.display
    watcher = try? loop.watch(wl_display_get_fd(display), for: .readable) { [unowned self] _ in
      if isReading { wl_display_read_events(display) }
      isReading = false
    }
  }

  private func found(_ name: UInt32, _ kind: UnsafePointer<CChar>?) {
    guard objects.picture == nil, lt_bind(&objects, name, kind) else { return }
    lt_make_picture(&objects)
    lt_listen(objects.shell, pointer(to: self)) { desktop, serial, _ in
      if let desktop = object(Desktop.self, at: desktop) { lt_answer(&desktop.objects, serial) }
    }
    connections += 1
    due = windows
  }

  /// Connects again later, and opens all windows again.
  private func fail() {
    watcher?.cancel()
    for window in windows { window.forget() }
    if objects.display != nil { lt_disconnect(&objects) }
    (due, shown, isReading) = ([], 0, false)
    loop.addTimer(after: .milliseconds(50)) { [unowned self] _ in connect() }
  }
}

// Requests and events.
extension Desktop {
  private func exchange() {
    guard let display = objects.display else { return }
    while !isReading, wl_display_get_error(display) == 0 {
      isReading = wl_display_prepare_read(display) == 0
      // It fails while there are events that have been read.
      if !isReading { wl_display_dispatch_pending(display) }
    }
    send(to: display)
    if wl_display_get_error(display) != 0 { fail() }
  }

  /// Sends as much as the socket takes. libwayland ends the process if its buffer of 4,096
  /// bytes overflows, so requests wait here while the compositor does not read.
  private func send(to display: OpaquePointer) {
    while wl_display_flush(display) >= 0 {
      watcher?.events = .readable
      if due.isEmpty { return }
      for window in due.prefix(30) { window.advance() }
      due.removeFirst(min(30, due.count))
    }
    // A read reports other errors.
    if errno == EAGAIN { watcher?.events = [.readable, .writable] }
  }
}

let loop = try EventLoop()
let host = ClientHost(loop, name: "wayland-windows")
guard let path = host.arguments.first else { host.fail("usage: wayland-windows SOCKET [--gtk]") }
let desktop = Desktop(at: path, on: loop)
desktop.connect()
host.readLines { line in
  guard let line else { return host.stop() }
  if line == "summary" { return say(desktop.summary) }
  if line == "roundtrip" { return desktop.roundtrip() }
  desktop.open(String(line.utf8.prefix(60)) ?? "")
}
try host.run()
say(desktop.summary)
