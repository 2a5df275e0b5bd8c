import CUV

/// Starts threads for workers.
package enum WorkerThread {
  /// Starts a detached thread that runs `body`. Debuggers show `name`. Returns
  /// false if the system refused the thread. Does not block.
  @Sendable package static func start(_ name: String, _ body: @escaping @Sendable () -> Void)
    -> Bool
  {
    let context = Unmanaged.passRetained(ThreadBody(name: name, run: body))
    if lt_thread_start(threadMain, context.toOpaque()) == 0 { return true }
    context.release()
    return false
  }
}

private final class ThreadBody: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(name: String, run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let body = Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
  lt_thread_set_name(body.name)
  // A pinned loop may have started it, and threads inherit their CPUs.
  lt_thread_unpin()
  body.run()
}
