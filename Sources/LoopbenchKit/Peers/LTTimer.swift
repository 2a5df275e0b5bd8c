private import CLoopbench
import LoopTransactions

/// `timer` by a precise timer of an `EventLoop`.
struct LTTimer: Peer {
  let name = "lt"
  let scenario = "timer"
  let series = TimerLoad.series
  let summary = "EventLoop.addPreciseTimer, which keeps nanoseconds, repeating on its own"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      let ticks = LoopTicks(of: loop, for: slice)
      try TimerLoad.measure(&slice, now: cl_now) { (first, count) throws(PeerFailure) in
        try follow(from: first, count, on: loop)
      }
      ticks.note(in: &slice)
    }
  }

  private func follow(
    from first: UInt64,
    _ count: Int,
    on loop: EventLoop
  ) throws(PeerFailure) -> [Int64] {
    let fires = TimerFires(count: count)
    let interval = Duration.nanoseconds(TimerLoad.interval)
    do {
      let timer = try loop.addPreciseTimer(at: .init(nanoseconds: first), every: interval) {
        fires.record($0, at: cl_now())
        if fires.isComplete { loop.stop() }
      }
      loop.run()
      timer.cancel()
    } catch {
      throw PeerFailure("\(error)")
    }
    return fires.lateness
  }
}

extension TimerFires {
  /// A period that passed without a call is as late as its successor's call:
  /// libuv's peer is called for it too.
  fileprivate func record(_ firing: LoopTimer.Firing, at now: UInt64) {
    record(lastDue: firing.deadline.nanoseconds, periods: firing.missed + 1, at: now)
  }
}
