extension MainQueueBridge {
  /// The reason why a loop cannot serve the main queue.
  ///
  /// A value type: use it on any thread.
  public enum SetupError: Error, Hashable, Sendable {
    /// libdispatch offers no descriptor of its main queue: it is not part of
    /// the program, or the system is not Linux.
    case unavailable
    /// The caller is not the process's first thread.
    case wrongThread
    /// The caller is a task, like all code of an asynchronous `main`.
    case inTask
    /// Another loop of the process already serves the main queue.
    case alreadyServed
    /// The system has no descriptor or memory left.
    case system(UVError)
  }
}

extension MainQueueBridge.SetupError: CustomStringConvertible {
  /// The reason, and how to avoid it.
  public var description: String { "MainQueueBridge: \(reason)" }

  private var reason: String {
    switch self {
    case .unavailable:
      """
      libdispatch offers no descriptor of its main queue here; on Linux, import Dispatch to link \
      it; elsewhere, use actors pinned to the loop's port
      """
    case .wrongThread:
      """
      the caller is not on the process's first thread, where @MainActor code must run; call this \
      on the first thread, from a main that is not async
      """
    case .inTask:
      """
      main is async, or the caller is a task, so libdispatch serves the main queue on its own \
      threads; make main synchronous, call EventLoop.runMain in it, and start tasks \
      from there, or link LoopTransactionsMain and use EventLoop.main
      """
    case .alreadyServed: "another loop serves the main queue; cancel its bridge first"
    case .system(let error): "\(error)"
    }
  }
}
