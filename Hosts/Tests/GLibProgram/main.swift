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
  let timer = loop.addTimer(after: .milliseconds(10), every: .milliseconds(10)) { _ in
    if !scheduler.isInteractive { MainActor.assumeIsolated { glib.stop() } }
  }
  func emit(_ type: Int32, time: UInt32) {
    cg_surface_emit(surface, type, time)
    print("interactive \(scheduler.isInteractive)")
  }
  // GDK_FOCUS_CHANGE, and a GDK_MOTION_NOTIFY that GTK makes itself.
  emit(8, time: 1)
  emit(1, time: 0)
  // The user's GDK_MOTION_NOTIFY, and a GDK_SCROLL without a time.
  for (type, time): (Int32, UInt32) in [(1, 1), (15, 0)] {
    emit(type, time: time)
    // Until the mode is off.
    glib.run()
  }
  timer.cancel()
  host.inputArrived()
  print("interactive \(scheduler.isInteractive)")
  host.cancel()
  emit(15, time: 1)
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
      let host = GLibHost(loop)
      return try servingMainQueue(on: loop) { host.cancel() }
    }
  )
}
