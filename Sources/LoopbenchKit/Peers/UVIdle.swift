private import CLoopbench

/// `idle` on a bare libuv loop.
struct UVIdle: Peer {
  let name = "uv"
  let scenario = "idle"
  let series = ["tick"]
  let isReference = true
  let summary = "C on libuv: a bare loop with the same foreign idle handle"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard let loop = cl_uv_loop_open() else { throw .noLoop }
    defer { cl_uv_loop_close(loop) }
    try TickSamples(effort: slice.effort).measure(
      &slice,
      loop: loop,
      done: cl_uv_loop_stop,
      context: loop,
      runLoop: { cl_uv_loop_run(loop) }
    )
  }
}
