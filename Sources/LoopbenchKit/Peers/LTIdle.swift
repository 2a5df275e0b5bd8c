private import CLoopbench
import LoopTransactions

/// `idle` on a loop that was adopted, and has nothing to do.
struct LTIdle: Peer {
  let name = "lt"
  let scenario = "idle"
  let series = ["tick"]
  let summary = "the same loop, adopted by EventLoop, nothing committed"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard let raw = cl_uv_loop_open() else { throw .noLoop }
    let loop = try LTLoop.open { () throws(UVError) in
      try EventLoop(adopting: UnsafeMutableRawPointer(raw))
    }
    try TickSamples(effort: slice.effort).measure(
      &slice, loop: raw, done: cl_uv_loop_stop, context: raw, runLoop: { loop.run() })
    try LTLoop.close(loop)
    cl_uv_loop_close(raw)
  }
}
