package import LoopTransactions
package import LoopTransactionsTesting

/// Runs `body` with a loop that is closed afterwards, whatever happens.
package func withLoop(
  _ wakeMethod: WakeMethod = .best,
  _ body: (EventLoop) throws -> Void
) throws {
  let loop = try EventLoop(wakeMethod: wakeMethod)
  try closing(loop) { try body(loop) }
}

/// Runs `body` with a stepped loop that is closed afterwards.
package func withSteppedLoop(
  seed: UInt64? = nil,
  _ body: (SteppedLoop) throws -> Void
) throws {
  let stepped = try SteppedLoop(seed: seed)
  try closing(stepped.loop) { try body(stepped) }
}

/// Runs `body` with a host's libuv loop and the loop that adopted it; both are
/// closed afterwards.
///
/// `prepare` sees the host before it is adopted.
package func withAdoptedLoop(
  prepare: (ForeignLoop) -> Void = { _ in },
  _ body: (ForeignLoop, EventLoop) throws -> Void
) throws {
  let host = ForeignLoop()
  prepare(host)
  let loop = try EventLoop(adopting: host.address)
  try closing(loop) { try body(host, loop) }
  guard host.close() else { throw HandlesLeftOpen() }
}

/// A host's loop could not be closed: a handle was left on it.
package struct HandlesLeftOpen: Error {
  package init() {}
}

private func closing(_ loop: EventLoop, _ body: () throws -> Void) throws {
  do { try body() } catch {
    // The test's own error counts; closing fails if it left handles open.
    try? loop.close()
    throw error
  }
  try loop.close()
}

extension EventLoop {
  /// Runs the loop, but for 20 seconds at most: `timedOut` if it took them, even
  /// if it was stopped by then.
  package func runInTime() -> RunResult {
    let deadline = now.advanced(by: .seconds(20))
    let result = run(until: deadline)
    return now < deadline ? result : .timedOut
  }
}
