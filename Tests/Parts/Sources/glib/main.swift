import CGLib
import LoopTransactions
import LoopTransactionsGLib

let main = g_main_loop_new(nil, 0)
let loop = try EventLoop()
let host = GLibHost(loop, context: g_main_loop_get_context(main))
loop.addTimer(after: .milliseconds(10)) { _ in MainActor.assumeIsolated { g_main_loop_quit(main) } }
g_main_loop_run(main)
host.cancel()
try loop.close()
g_main_loop_unref(main)
print("ok")
