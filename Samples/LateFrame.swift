// An animation of 60 frames per second, and a post that holds its loop for 40 ms.

import LoopTransactions

let loop = try EventLoop()
// snippet.report
let clock = try FrameClock(on: loop, framesPerSecond: 60) { frame in
  scroll(to: frame.deadline)
}
clock.frameHandler = { report in
  if report.frame.missed > 0 { print(report) }
}
// snippet.end

func scroll(to instant: LoopClock.Instant) {}

loop.addTimer(after: .milliseconds(100)) { _ in
  let end = LoopClock.now.advanced(by: .milliseconds(40))
  while LoopClock.now < end {}
}
loop.addTimer(after: .milliseconds(300)) { _ in loop.stop() }
loop.run()
clock.cancel()
try loop.close()
