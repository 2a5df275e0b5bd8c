package import LoopTransactions

/// Runs `body` with a loop on a new thread and closes the loop. Waits without
/// blocking a thread of the concurrency pool.
///
/// - Parameter over: If given, the thread ends only after this gate opens.
///   Until then no other thread can reuse its identifier.
package func onLoopThread<Value: Sendable>(
  until over: Gate? = nil,
  _ body: @escaping @Sendable (EventLoop) throws -> Value
) async throws -> Value {
  try await onThread(until: over) {
    var value: Value?
    try withLoop { value = try body($0) }
    guard let value else { throw HandlesLeftOpen() }
    return value
  }
}

/// Runs `body` on a new thread, without blocking a thread of the concurrency pool.
/// The pool has a thread per CPU, and `body` may wait for tasks.
///
/// - Parameter over: If given, the thread ends only after this gate opens.
package func onThread<Value: Sendable>(
  until over: Gate? = nil,
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  // A lock protects the outcome. If the thread finishes before the task
  // suspends, ThreadSanitizer does not see the order that the continuation
  // establishes; see scripts/races.
  let outcome = Locked<Result<Value, any Error>?>(nil)
  await withCheckedContinuation { continuation in
    // The thread is not joined, because that would block this thread.
    _ = TestThread {
      let made = Result { try body() }
      outcome.withLock { $0 = made }
      continuation.resume()
      over?.wait()
    }
  }
  guard let made = outcome.withLock({ $0 }) else { throw HandlesLeftOpen() }
  return try made.get()
}
