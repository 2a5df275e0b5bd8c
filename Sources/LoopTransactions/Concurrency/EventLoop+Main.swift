extension EventLoop {
  /// Runs a loop as the main thread of a program. The loop also serves
  /// `@MainActor` code and `DispatchQueue.main`.
  ///
  /// Call from a synchronous `main`, on the process's first thread. Creates a
  /// loop with a `MainQueueBridge`, calls `body`, and runs the loop until it is
  /// stopped. Then closes the loop and returns. Blocks that are still in the
  /// main queue do not run.
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
    let loop = try EventLoop()
    do {
      _ = try MainQueueBridge(on: loop)
      try onMainActor(loop, body)
    } catch {
      // `try?`: the error of `body` is thrown, not a later error of `close()`.
      try? loop.close()
      throw error
    }
    loop.run()
    try loop.close()
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
