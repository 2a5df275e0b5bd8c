private import CLoopbench

/// `wake` in C on libuv.
struct UVWake: Peer {
  let name = "uv"
  let scenario = "wake"
  let series = WakeLoad.series
  let isReference = true
  let summary = "C on libuv: uv_async_send and its callback"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let pings = try WakePings(effort: slice.effort)
    guard let peer = cl_uv_wake_open(pings.pointer) else { throw .noLoop }
    defer { cl_uv_wake_close(peer) }
    let shared = Shared(peer)
    try pings.measure(
      &slice,
      send: cl_uv_wake_send,
      context: UnsafeMutableRawPointer(peer),
      stop: { cl_uv_wake_stop(shared.value) },
      runLoop: { cl_uv_wake_run(peer) }
    )
  }
}
