import CUV

/// Starts threads for workers.
package enum WorkerThread {
  /// Starts a detached thread that runs `body`. Debuggers show `name`. Returns
  /// false if the system refused the thread. Does not block.
  @Sendable package static func start(_ name: String, _ body: @escaping @Sendable () -> Void)
    -> Bool
  {
    let main = ThreadMain(name) {
      // A pinned loop may have started it, and threads inherit their CPUs.
      lt_thread_unpin()
      body()
    }
    return main.start { lt_thread_start($0, $1) } == 0
  }
}

/// The name of a new thread, and the closure that it runs.
final class ThreadMain: Sendable {
  private let name: String
  private let body: @Sendable () -> Void

  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  /// Calls `start`, which hands a function and its argument to a new thread.
  /// Returns its result: 0, or an errno.
  func start(
    by start: (@convention(c) (UnsafeMutableRawPointer?) -> Void, UnsafeMutableRawPointer) -> Int32
  ) -> Int32 {
    let context = Unmanaged.passRetained(self)
    let error = start(runThreadMain, context.toOpaque())
    if error != 0 { context.release() }
    return error
  }

  fileprivate func run() {
    // A name with a zero byte is not shown.
    _ = name.withWholeCString {
      lt_thread_set_name($0)
      return 0
    }
    body()
  }
}

private func runThreadMain(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<ThreadMain>.fromOpaque(context).takeRetainedValue().run()
}
