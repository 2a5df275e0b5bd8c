extension EventLoop {
  /// Runs a loop of its own on the calling thread, and closes it in every case.
  ///
  /// Creates a loop, calls `body`, and runs the loop until it is stopped or has
  /// nothing left to wait for. Then closes the loop and returns. If `body` throws,
  /// the loop is closed without a run. Closing performs pending posts and
  /// transactions, and cancels timers and watchers.
  ///
  /// Call on any thread, except in a callback of another loop, which would stand
  /// still until this returns. A program that needs the main actor calls
  /// `runMain(_:)`.
  ///
  /// ```swift
  /// try EventLoop.run { loop in
  ///   loop.addTimer(after: .seconds(1)) { _ in print("the last timer") }
  /// }
  /// ```
  ///
  /// - Parameter body: Called once with the loop, before it runs. Must not close
  ///   the loop.
  /// - Throws: The error of `body`, after the loop was closed. `UVError` if the
  ///   loop cannot be created, or cannot be closed because `body` opened handles
  ///   by `libuvLoop` and did not close them.
  public static func run(body: (EventLoop) throws -> Void) throws {
    let loop = try EventLoop()
    do { try body(loop) } catch {
      // `try?`: the error of `body` is thrown, not a later error of `close()`.
      try? loop.close()
      throw error
    }
    loop.run()
    try loop.close()
  }

  /// Runs a loop as the main thread of a program. The loop also serves
  /// `@MainActor` code and `DispatchQueue.main`.
  ///
  /// Call from a synchronous `main`, on the process's first thread. Creates a
  /// loop with a `MainQueueBridge`, calls `body`, and runs the loop until it is
  /// stopped. Then closes the loop and returns. Blocks that are still in the
  /// main queue do not run. If the program calls `exit` on the loop's thread, the
  /// pending work is performed as at the end of a run.
  ///
  /// A program with an asynchronous `main` links the product
  /// `LoopTransactionsMain` instead.
  ///
  /// See also: `dispatchMain()` is the counterpart in Dispatch. It never returns.
  ///
  /// ```swift
  /// try EventLoop.runMain { loop in
  ///   let port = loop.port
  ///   Task { @MainActor in
  ///     print(await greeting())
  ///     port.stop()
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: `MainQueueBridge.SetupError` if `main` is asynchronous or this
  ///   is another thread. `UVError` if the loop cannot be created or closed.
  ///   The error of `body`, after the loop was closed.
  @available(
    *,
    noasync,
    message: "an asynchronous main is served by libdispatch's own threads; make main synchronous"
  )
  public static func runMain(_ body: @MainActor (EventLoop) throws -> Void) throws {
    try MainQueueBridge.checkCanServe()
    try run { loop in
      _ = try MainQueueBridge(on: loop)
      loop.performWorkAtExit("EventLoop.runMain")
      try onMainActor(loop, body)
    }
  }

  private static func onMainActor(
    _ loop: EventLoop,
    _ body: @MainActor (EventLoop) throws -> Void
  ) throws {
    // nonisolated(unsafe): the loop stays on this thread, which is the main
    // actor's.
    nonisolated(unsafe) let loop = loop
    try MainActor.assumeIsolated { try body(loop) }
  }
}

// The exit of a process whose main thread runs a loop. C7.
extension EventLoop {
  /// Makes the process perform the loop's pending work when it exits on this
  /// thread, and report the rest with `name`. Replaces the loop of an earlier
  /// call.
  ///
  /// Call on the loop, on the process's first thread.
  package func performWorkAtExit(_ name: String) {
    LoopAtExit.loop = self
    LoopAtExit.name = name
    _ = LoopAtExit.registration
  }
}

private enum LoopAtExit {
  // nonisolated(unsafe): used on the first thread only, which `perform` checks.
  nonisolated(unsafe) static weak var loop: EventLoop?
  nonisolated(unsafe) static var name = ""

  static let registration: Void = System.atExit { perform() }

  private static func perform() {
    guard System.isMainThread, let loop else { return }
    // Cleared first, because the work may call `exit`.
    self.loop = nil
    loop.performAtExit(name)
  }
}
