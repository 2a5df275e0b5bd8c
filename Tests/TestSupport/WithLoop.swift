package import LoopTransactions
package import LoopTransactionsTesting

/// Runs `body` with a loop, and closes the loop even if `body` throws.
package func withLoop(
  _ wakeMethod: WakeMethod = .best,
  _ body: (EventLoop) throws -> Void
) throws {
  let loop = try EventLoop(wakeMethod: wakeMethod)
  try closing(loop) { try body(loop) }
}

/// Runs `body` with a stepped loop, and closes the loop even if `body` throws.
package func withSteppedLoop(
  seed: UInt64? = nil,
  _ body: (SteppedLoop) throws -> Void
) throws {
  let stepped = try SteppedLoop(seed: seed)
  try closing(stepped.loop) { try body(stepped) }
}

/// Runs `body` with a host's libuv loop and the loop that adopted it, and
/// closes both even if `body` throws.
///
/// `prepare` is called with the host before it is adopted.
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

/// Thrown if a host's loop could not be closed because a handle on it is open.
package struct HandlesLeftOpen: Error {
  package init() {}
}

private func closing(_ loop: EventLoop, _ body: () throws -> Void) throws {
  do { try body() } catch {
    // Rethrow the test's error, and not the error that closing throws if the
    // test left handles open.
    try? loop.close()
    throw error
  }
  try loop.close()
}

extension EventLoop {
  /// Runs the loop for at most ten minutes. Returns `.timedOut` if the run took
  /// that long, even if it was stopped in its last tick.
  package func runInTime() -> RunResult {
    let deadline = now.advanced(by: .seconds(600))
    let result = run(until: deadline)
    return now < deadline ? result : .timedOut
  }
}
