package import LoopTransactions

/// A loop that runs on a separate thread until `stop()`.
package final class RunningLoop: Sendable {
  /// The port of the loop.
  package let port: LoopPort
  private let thread: Smuggled<TestThread>

  /// Starts the thread. Returns when the loop can be used through its port.
  package init() throws {
    let (ready, made) = (Gate(), Locked<LoopPort?>(nil))
    let thread = TestThread {
      guard let loop = try? EventLoop() else { return ready.open() }
      made.withLock { $0 = loop.awaitedPort }
      ready.open()
      loop.run()
      made.withLock { $0 = nil }
      try? loop.close()
    }
    ready.wait()
    guard let port = made.withLock({ $0 }) else { throw HandlesLeftOpen() }
    self.port = port
    self.thread = Smuggled(thread)
  }

  /// Stops the loop and joins its thread.
  package func stop() {
    port.stop()
    thread.value.join()
  }
}
