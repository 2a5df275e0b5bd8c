// Tests a minute of events without waiting. The loop has its own clock, which
// moves only when the test advances it.
//
// Prints:
//   ["beforeWaiting", "half a minute", "beforeWaiting", "a minute", "beforeWaiting"]
//   passed: 60.0 seconds

import LoopTransactions
import LoopTransactionsTesting

let stepped = try SteppedLoop()
let start = stepped.now
stepped.loop.addTimer(after: .seconds(60)) { _ in
  stepped.trace.record("a minute")
}
stepped.loop.addTimer(after: .seconds(30)) { _ in
  stepped.trace.record("half a minute")
}
stepped.trace.follow(stepped.loop, .beforeWaiting)
stepped.step()  // nothing is due
stepped.advance(by: .seconds(60))
print(stepped.trace.events)
print("passed:", start.duration(to: stepped.now))
try stepped.close()
