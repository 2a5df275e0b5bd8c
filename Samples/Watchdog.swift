// Reports a tick over a threshold while it runs.

import LoopTransactions

/// Computes for at least `duration`.
@MainActor
func compute(for duration: Duration, on loop: EventLoop) {
  let end = loop.now.advanced(by: duration)
  while loop.now < end {}
}

let loop = try EventLoop()

// snippet.watchdog
let watchdog = try LoopWatchdog(threshold: .milliseconds(100)) { hold in
  print(hold)
}
loop.watchdog = watchdog
// snippet.end

loop.post { compute(for: .milliseconds(300), on: loop) }
loop.run()
try loop.close()
