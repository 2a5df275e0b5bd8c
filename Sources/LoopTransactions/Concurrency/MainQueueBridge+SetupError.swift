extension MainQueueBridge {
  /// Why the main queue is not served on a loop.
  ///
  /// A value: make and read it on any thread.
  public enum SetupError: Error, Hashable, Sendable {
    /// libdispatch does not offer its main queue here.
    case unavailable
    /// The caller is not the thread that the process began with.
    case wrongThread
    /// The caller is a task, as all code of an asynchronous `main` is.
    case inTask
    /// A loop of this process serves the main queue already.
    case alreadyServed
    /// The system is out of descriptors or memory.
    case system(UVError)
  }
}

extension MainQueueBridge.SetupError: CustomStringConvertible {
  /// What is wrong, and what to do about it.
  public var description: String { "MainQueueBridge: \(reason)" }

  private var reason: String {
    switch self {
    case .unavailable:
      """
      libdispatch does not export _dispatch_get_main_queue_handle_4CF here; link the Swift runtime \
      dynamically (no -static-stdlib), or keep to actors pinned to the loop's port
      """
    case .wrongThread:
      """
      this is not the thread the process began with, where @MainActor code has to run; call it \
      there, from a main that is not async
      """
    case .inTask:
      """
      main is async, or this is called from a task: libdispatch then serves the main queue on \
      threads of its own; make main synchronous, call EventLoop.runMain in it, and start tasks \
      from there
      """
    case .alreadyServed: "another loop serves the main queue; close its bridge first"
    case .system(let error): "\(error)"
    }
  }
}
