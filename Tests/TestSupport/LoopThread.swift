package import LoopTransactions

/// Runs `body` with a loop on a thread of its own, closes the loop, and waits without
/// holding a thread of the concurrency pool.
///
/// - Parameter over: If given, the thread ends only when this is open: until then no
///   other thread can have its identity.
package func onLoopThread<Value: Sendable>(
  until over: Gate? = nil,
  _ body: @escaping @Sendable (EventLoop) throws -> Value
) async throws -> Value {
  // By a lock: where the thread is done before the task suspends, ThreadSanitizer does
  // not see what the continuation orders; see scripts/races.
  let outcome = Locked<Result<Value, any Error>?>(nil)
  await withCheckedContinuation { continuation in
    // Nobody joins it.
    _ = TestThread {
      let made = Result {
        var value: Value?
        try withLoop { value = try body($0) }
        guard let value else { throw HandlesLeftOpen() }
        return value
      }
      outcome.withLock { $0 = made }
      continuation.resume()
      over?.wait()
    }
  }
  guard let made = outcome.withLock({ $0 }) else { throw HandlesLeftOpen() }
  return try made.get()
}
