import CGLib
import LoopTransactions
import LoopTransactionsGLib

// The example of Hosts/README.md, compiled and not run. scripts/lib/blocks.py compares it.

@MainActor
private func glib(_ main: OpaquePointer) throws {
  // snippet.glib
  let loop = try EventLoop()
  let bridge = try MainQueueBridge(on: loop)  // @MainActor and DispatchQueue.main, too
  let host = GLibHost(loop)
  g_main_loop_run(main)
  host.cancel()
  try loop.close()
  // snippet.end
  _ = bridge
}
