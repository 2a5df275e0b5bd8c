private import CLoopbench

/// `timer` by a condition that nobody signals.
struct CondTimer: Peer {
  let name = "cond"
  let scenario = "timer"
  let series = TimerLoad.series
  let isReference = true
  let summary = "C: pthread_cond_timedwait to each due time; no loop"
  let isStandard = false

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try TimerLoad.measure(&slice, now: cl_now) { (first, count) throws(PeerFailure) in
      var lateness = [Int64](repeating: 0, count: count)
      let fired = cl_cond_timer_run(first, TimerLoad.interval, &lateness, UInt32(count))
      guard fired == Int32(count) else { throw .noMemory }
      return lateness
    }
  }
}

extension PeerFailure {
  static let noMemory = PeerFailure("the system has no memory left for a mutex or a condition")
}
