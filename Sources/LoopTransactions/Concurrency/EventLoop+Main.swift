extension EventLoop {
  /// Runs the main thread of a program on a loop: `@MainActor` code,
  /// `DispatchQueue.main`, and whatever the loop serves.
  ///
  /// Call in a synchronous `main`, on the process's first thread. Makes a loop with a
  /// `MainQueueBridge`, calls `body`, and runs until the loop is stopped; then closes
  /// it and returns. What was sent to the main queue by then and has not run is left.
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
  /// - Throws: `MainQueueBridge.SetupError` if `main` is asynchronous, or this is
  ///   another thread; `UVError`; what `body` throws, after which the loop is closed.
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
      // What went wrong first counts.
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
    // nonisolated(unsafe): stays on this thread, which is the main actor's.
    nonisolated(unsafe) let loop = loop
    try MainActor.assumeIsolated { try body(loop) }
  }
}
