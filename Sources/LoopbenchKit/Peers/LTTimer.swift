private import CLoopbench
import LoopTransactions

/// `timer` by a precise timer of the loop.
struct LTTimer: Peer {
  let name = "lt"
  let scenario = "timer"
  let series = TimerLoad.series
  let summary = "EventLoop.addPreciseTimer: absolute, to the nanosecond, by timerfd on Linux"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try LTLoop.with { (loop) throws(PeerFailure) in
      try TimerLoad.measure(&slice, now: cl_now) { (first, count) throws(PeerFailure) in
        try lateness(on: loop, first: first, count: count)
      }
    }
  }

  private func lateness(
    on loop: EventLoop, first: UInt64, count: Int
  ) throws(PeerFailure) -> [Int64] {
    var lateness: [Int64] = []
    do {
      try loop.addPreciseTimer(
        at: LoopClock.Instant(nanoseconds: first),
        every: .nanoseconds(Int64(TimerLoad.interval))
      ) { firing in
        lateness.append(Int64(cl_now()) - Int64(firing.deadline.nanoseconds))
        if lateness.count == count { loop.stop() }
      }
    } catch {
      throw PeerFailure("\(error)")
    }
    loop.run()
    return lateness
  }
}
