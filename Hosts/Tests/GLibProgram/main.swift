import CGLib
import HostCases
import LoopTransactions
import LoopTransactionsGLib

final class GLib: TestedHost {
  private(set) var iterations = 0
  private var isRunning = false

  nonisolated let call: @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
    g_main_context_invoke(nil, callBody, Unmanaged.passRetained(Body(body)).toOpaque())
  }

  init() {
    // Owns the context during the whole run, as g_main_loop_run does. Otherwise the
    // context would have no owner between two iterations, and g_main_context_invoke would
    // call its function on the calling thread.
    guard g_main_context_acquire(nil) != 0 else {
      fatalError("g_main_context_acquire failed: another thread owns the context")
    }
  }

  func after(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    _ = g_timeout_add(UInt32(milliseconds), callBody, Unmanaged.passRetained(Body(body)).toOpaque())
  }

  func run() {
    isRunning = true
    while isRunning {
      _ = g_main_context_iteration(nil, 1)
      iterations += 1
    }
  }

  func pollOnce() { _ = g_main_context_iteration(nil, 0) }

  func stop() { isRunning = false }

  func serve(_ loop: EventLoop) throws -> @MainActor () -> Void {
    let bridge = try MainQueueBridge(on: loop)
    let host = GLibHost(loop)
    return {
      host.cancel()
      bridge.cancel()
    }
  }
}

final class Body: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func callBody(_ data: UnsafeMutableRawPointer?) -> Int32 {
  guard let data else { return 0 }
  Unmanaged<Body>.fromOpaque(data).takeRetainedValue().body()
  return 0
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

let glib = GLib()
switch CommandLine.arguments.dropFirst().first {
case "dump": try dumped()
default: try runCase(on: glib)
}
