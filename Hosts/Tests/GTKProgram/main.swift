import CGTK
import GLibLoop
import HostCases
import LoopTransactions
import LoopTransactionsGLib

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Shows a GTK window, and prints whether a scheduler is interactive: first after
/// GTK has laid the window out several times without any input, and then at each
/// change, until three inputs have each turned it on and a pause has turned it
/// off.
@MainActor
func input() throws {
  let (loop, scheduler) = (try EventLoop(), OperationScheduler("input"))
  let host = GLibHost(loop, interactiveSchedulers: [scheduler])
  let glib = GLibLoop { _ in {} }
  guard gtk_init_check() != 0, let window = gtk_window_new(), let label = gtk_label_new("") else {
    fatalError("gtk-host: cannot open the display")
  }
  gtk_window_set_title(window, "Input")
  gtk_window_set_default_size(window, 200, 100)
  gtk_window_set_child(window, label)
  gtk_window_present(window)
  var (layouts, shown, changes) = (0, false, 0)
  let timer = loop.addTimer(after: .milliseconds(50), every: .milliseconds(5)) { _ in
    if layouts < 40 {
      // Each text has another size, so that GTK lays the window out again.
      layouts += 1
      gtk_label_set_text(label, String(repeating: "layout\n", count: layouts % 4))
      if layouts == 40 { show(scheduler.isInteractive) }
    } else if scheduler.isInteractive != shown {
      shown.toggle()
      changes += 1
      show(shown)
      if changes == 6 { MainActor.assumeIsolated { glib.stop() } }
    }
  }
  glib.run()
  timer.cancel()
  host.cancel()
  gtk_window_destroy(window)
  try loop.close()
}

/// Prints a line at once, because the test waits for it.
func show(_ isInteractive: Bool) {
  print("interactive \(isInteractive)")
  fflush(nil)
}

/// Runs a case while GTK lays out the labels of a window.
@MainActor
func runCaseInWindow() throws {
  guard gtk_init_check() != 0, let window = gtk_window_new(), let label = gtk_label_new("") else {
    fatalError("gtk-host: cannot open the display")
  }
  gtk_window_set_child(window, label)
  gtk_window_present(window)
  try runCase(
    on: GLibLoop { loop in
      let host = GLibHost(loop)
      let timer = loop.addTimer(after: .zero, every: .milliseconds(1)) { _ in
        gtk_label_set_text(label, String(repeating: "layout\n", count: Int(loop.metrics.ticks % 4)))
      }
      return {
        timer.cancel()
        host.cancel()
      }
    }
  )
  gtk_window_destroy(window)
}

// Kills the process if an input never arrives.
alarm(60)
if CommandLine.arguments.count > 1 { try runCaseInWindow() } else { try input() }
