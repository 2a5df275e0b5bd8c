private import CLoopbench

/// `timer` by a timerfd: the floor under a loop that sleeps in epoll.
struct EventFDTimer: Peer {
  let name = "eventfd"
  let scenario = "timer"
  let series = TimerLoad.series
  let isReference = true
  let summary = "C: a periodic absolute timerfd, epoll_wait and read; no loop: the floor"
  let isStandard = false

  var unavailability: String? { cl_eventfd_is_available() ? nil : "timerfd is Linux's" }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try TimerLoad.measure(&slice, now: cl_now) { (first, count) throws(PeerFailure) in
      var lateness = [Int64](repeating: 0, count: count)
      let fired = cl_timerfd_run(first, TimerLoad.interval, &lateness, UInt32(count))
      guard fired == Int32(count) else { throw .noDescriptor }
      return lateness
    }
  }
}
