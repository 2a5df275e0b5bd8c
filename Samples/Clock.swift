// A task sleeps on a loop's timers. The loop's clock is the system's clock. In
// a test, it is a clock that stands still until the test advances it.
//
// Prints:
//   after a second
//   after a minute
//   and an hour

import LoopTransactions
import LoopTransactionsTesting

// snippet.remind
func remind(_ clock: some Clock<Duration>, _ say: @Sendable (String) -> Void) async throws {
  try await clock.sleep(for: .seconds(60))
  say("after a minute")
  try await clock.sleep(for: .seconds(3600))
  say("and an hour")
}
// snippet.end

let stepped = try SteppedLoop()
let (port, clock) = (stepped.loop.port, stepped.loop.clock)
Task.detached(executorPreference: port) { try await remind(clock) { print($0) } }
// snippet.sleep
Task.detached(executorPreference: port) {
  try await Task.sleep(for: .seconds(1), clock: port.clock)
  print("after a second")
}
// snippet.end
stepped.advance(by: .seconds(3660))
try stepped.close()
