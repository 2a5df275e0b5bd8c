package import LoopTransactions

/// A loop that a thread of its own runs until `stop()`.
package final class RunningLoop: Sendable {
  /// How other threads reach the loop.
  package let port: LoopPort
  private let thread: Smuggled<TestThread>

  /// Starts the thread, and returns when its loop can be reached.
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

  /// Ends the loop and its thread.
  package func stop() {
    port.stop()
    thread.value.join()
  }
}
