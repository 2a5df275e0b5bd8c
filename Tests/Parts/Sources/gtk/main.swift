import CGTK
import LoopTransactions
import LoopTransactionsGLib

// A window needs a display, and the tests of Hosts show one.
func makeWindow() -> UnsafeMutablePointer<GtkWidget>? { gtk_window_new() }

let main = g_main_loop_new(nil, 0)
let loop = try EventLoop()
let host = GLibHost(loop)
loop.addTimer(after: .milliseconds(10)) { _ in MainActor.assumeIsolated { g_main_loop_quit(main) } }
g_main_loop_run(main)
host.cancel()
try loop.close()
print(gtk_get_major_version() == 4 ? "ok" : "another GTK")
