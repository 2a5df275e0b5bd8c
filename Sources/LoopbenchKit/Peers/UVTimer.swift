private import CLoopbench

/// `timer` in C on libuv.
struct UVTimer: Peer {
  let name = "uv"
  let scenario = "timer"
  let series = TimerLoad.series
  let isReference = true
  let summary = "C on libuv: uv_timer, which counts whole milliseconds, set to the first not early"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try TimerLoad.measure(&slice, now: cl_now) { (first, count) throws(PeerFailure) in
      var lateness = [Int64](repeating: 0, count: count)
      let fired = cl_uv_timer_run(first, TimerLoad.interval, &lateness, UInt32(count))
      guard fired == Int32(count) else { throw .noLoop }
      return lateness
    }
  }
}
