private import CLoopbench
import LoopTransactions

/// `idle` on a loop that an `EventLoop` has adopted.
struct LTIdle: Peer {
  let name = "lt"
  let scenario = "idle"
  let series = ["tick"]
  let summary = "EventLoop(adopting:) on a loop with the same foreign idle handle"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard let raw = cl_uv_loop_open() else { throw .noLoop }
    defer { cl_uv_loop_close(raw) }
    try EventLoop.measuring(on: { () throws(UVError) in try EventLoop(adopting: raw) }) {
      (loop) throws(PeerFailure) in
      try TickSamples(effort: slice.effort).measure(
        &slice,
        loop: raw,
        done: EventLoop.stopFunction,
        context: loop.address,
        runLoop: { loop.run() }
      )
    }
  }
}
