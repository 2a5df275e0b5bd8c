public import LoopTransactions

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  extension EventLoop {
    /// The loop that serves the main actor of this program.
    ///
    /// Call on the main actor, on the process's first thread. The first access
    /// creates the loop. It is never closed.
    ///
    /// With an asynchronous `main`, the loop runs while `main` is suspended, and
    /// the process exits when `main` returns. `stop()` and `run()` trap. With a
    /// synchronous `main`, call `run()` as on any other loop. When the process
    /// exits on this thread, the loop first performs its pending work, as at the
    /// end of a run, and reports the work that is left.
    ///
    /// Traps if the system has no descriptor or memory left for the loop, or if
    /// another loop has a `MainQueueBridge`.
    ///
    /// ```swift
    /// @main
    /// struct App {
    ///   static func main() async throws {
    ///     EventLoop.main.addTimer(after: .zero, every: .milliseconds(100)) { _ in
    ///       print("tick")
    ///     }
    ///     try await Task.sleep(for: .milliseconds(250))
    ///   }
    /// }
    /// ```
    @MainActor
    public static var main: EventLoop { MainLoop.make("EventLoop.main") }
  }
#else
  extension EventLoop {
    /// The loop that serves the main actor of this program. Not available with
    /// this compiler or on this system.
    @available(
      *,
      unavailable,
      message: "needs Swift 6.3 on Linux; make main synchronous and call EventLoop.runMain"
    )
    @MainActor
    public static var main: EventLoop { fatalError("EventLoop.main: needs Swift 6.3 on Linux") }
  }
#endif
