// Timers with millisecond and with nanosecond resolution. No timer fires early.
// A period that passes while the loop is busy is counted as missed and not
// repeated.
//
// Prints:
//   precise, early: false
//   three periods or more: true
//   once, early: false

import LoopTransactions

let loop = try EventLoop()
let start = loop.now

// snippet.precise
try loop.addPreciseTimer(at: start.advanced(by: .microseconds(1500))) { firing in
  print("precise, early:", loop.now < firing.deadline)
}
// snippet.end
loop.run()  // returns when no timer is left

var periods = 0
var ticker: LoopTimer?
ticker = loop.addTimer(after: .milliseconds(5), every: .milliseconds(5)) { firing in
  periods += 1 + firing.missed
  guard periods >= 3 else { return }
  ticker?.cancel()
  print("three periods or more:", true)
  loop.addTimer(after: .milliseconds(1)) { firing in
    print("once, early:", loop.now < firing.deadline)
  }
}

loop.run()
try loop.close()
