import CGLib
import CGdk
import GLibLoop
import HostCases
import LoopTransactions
import LoopTransactionsGLib

/// Prints whether a scheduler is interactive before and after events of GTK.
@MainActor
func input() throws {
  let (loop, scheduler) = (try EventLoop(), OperationScheduler("input"))
  let host = GLibHost(loop, interactiveSchedulers: [scheduler])
  let glib = GLibLoop { _ in {} }
  glib.pollOnce()
  let surface = cg_surface_new()
  glib.pollOnce()
  // GDK_FOCUS_CHANGE and GDK_SCROLL.
  for type: Int32 in [8, 15] {
    cg_surface_emit(surface, type)
    print("interactive \(scheduler.isInteractive)")
  }
  let timer = loop.addTimer(after: .milliseconds(10), every: .milliseconds(10)) { _ in
    if !scheduler.isInteractive { MainActor.assumeIsolated { glib.stop() } }
  }
  glib.run()
  timer.cancel()
  host.inputArrived()
  print("interactive \(scheduler.isInteractive)")
  host.cancel()
  cg_surface_emit(surface, 15)
  print("interactive \(scheduler.isInteractive)")
  try loop.close()
}

/// Dumps a value of each public type.
@MainActor
func dumped() throws {
  let loop = try EventLoop()
  let host = GLibHost(loop)
  dumpEverywhere("GLibHost", host)
  host.cancel()
  try loop.close()
}

switch CommandLine.arguments.dropFirst().first {
case "dump": try dumped()
case "input": try input()
default:
  try runCase(
    on: GLibLoop { loop in
      let bridge = try MainQueueBridge(on: loop)
      let host = GLibHost(loop)
      return {
        host.cancel()
        bridge.cancel()
      }
    }
  )
}
