// A clock of 120 frames per second. The callback stops the clock at frame 3, or
// at a later frame if the loop misses frame 3.
//
// Prints:
//   frame 3 is due 25 ms after the start, or is a later one: true
//   running: false

import LoopTransactions

let loop = try EventLoop()
let start = loop.now
var clock: FrameClock?
clock = try FrameClock(on: loop, framesPerSecond: 120) { frame in
  guard frame.index >= 3 else { return }
  let elapsed = start.duration(to: frame.deadline)
  print("frame 3 is due 25 ms after the start, or is a later one:", elapsed >= .milliseconds(25))
  clock?.cancel()
}
loop.run()
print("running:", clock?.isActive ?? false)
try loop.close()
