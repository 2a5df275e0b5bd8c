internal import CGLib
internal import HostCases
package import LoopTransactions

/// GLib's default main context, on the first thread.
package final class GLibLoop: TestedHost {
  package private(set) var iterations = 0
  private var isRunning = false

  package nonisolated let call: @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
    GLibLoop.invoke(body)
  }

  private let adapter: (EventLoop) throws -> @MainActor () -> Void

  /// - Parameter adapter: Makes this host run a loop. Returns a function that stops
  ///   running the loop.
  package init(_ adapter: @escaping (EventLoop) throws -> @MainActor () -> Void) {
    self.adapter = adapter
    // Owns the context during the whole run, as g_main_loop_run does. Otherwise the
    // context would have no owner between two iterations, and g_main_context_invoke would
    // call its function on the calling thread.
    guard g_main_context_acquire(nil) != 0 else {
      fatalError("g_main_context_acquire failed: another thread owns the context")
    }
  }

  package func after(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    _ = g_timeout_add(UInt32(milliseconds), callBody, CalledOnce.pointer(to: body))
  }

  package func run() {
    isRunning = true
    while isRunning {
      _ = g_main_context_iteration(nil, 1)
      iterations += 1
    }
  }

  package func pollOnce() { _ = g_main_context_iteration(nil, 0) }

  package func stop() { isRunning = false }

  package func serve(_ loop: EventLoop) throws -> @MainActor () -> Void { try adapter(loop) }

  /// Calls `body` on the context's thread. Calls it at once on that thread itself.
  package nonisolated static func invoke(_ body: @escaping @Sendable () -> Void) {
    g_main_context_invoke(nil, callBody, CalledOnce.pointer(to: body))
  }
}

private func callBody(_ data: UnsafeMutableRawPointer?) -> Int32 {
  CalledOnce.call(data)
  // G_SOURCE_REMOVE
  return 0
}
