private import CLoopbench

/// `wake` by an eventfd: the floor under a loop that sleeps in epoll.
struct EventFDWake: Peer {
  let name = "eventfd"
  let scenario = "wake"
  let series = WakeLoad.series
  let isReference = true
  let summary = "C: write to an eventfd, epoll_wait and read; no loop: the floor"

  var unavailability: String? { cl_eventfd_is_available() ? nil : "eventfd is Linux's" }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let pings = try WakePings(effort: slice.effort)
    guard let peer = cl_eventfd_open(pings.pointer) else { throw .noDescriptor }
    defer { cl_eventfd_close(peer) }
    let shared = Shared(peer)
    try pings.measure(
      &slice,
      send: cl_eventfd_send,
      context: UnsafeMutableRawPointer(peer),
      stop: { cl_eventfd_stop(shared.value) },
      runLoop: { cl_eventfd_run(peer) }
    )
  }
}

extension PeerFailure {
  static let noDescriptor = PeerFailure(
    "the system opened no eventfd, timerfd or epoll; is the process out of descriptors (ulimit -n)?"
  )
}
