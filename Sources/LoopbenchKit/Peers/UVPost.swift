private import CLoopbench

/// `post` in C on libuv: what `typed`, `closure` and `commit` are compared with.
struct UVPost: Peer {
  let name = "uv"
  let scenario = "post"
  let series = PostLoad.series
  let isReference = true
  let summary =
    "C on libuv: a node from malloc, a queue under uv_mutex, uv_async_send if it was empty"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard let peer = cl_uv_post_open() else { throw .noLoop }
    defer { cl_uv_post_close(peer) }
    let finish = FinishLine(stop: cl_uv_post_stop, context: UnsafeMutableRawPointer(peer))
    if slice.series.hasSuffix(".self") {
      try slice.sample { (operations) throws(PeerFailure) in
        try postToSelf(operations, peer, finish)
      }
    } else {
      let cpu = slice.seats.producer
      try slice.sample { (operations) throws(PeerFailure) in
        try postAcross(operations, peer, finish, producerCPU: cpu)
      }
    }
  }

  private func postToSelf(
    _ items: Int,
    _ peer: OpaquePointer,
    _ finish: FinishLine
  ) throws(PeerFailure) -> UInt64 {
    finish.reset(target: items)
    let began = cl_now()
    cl_uv_post_burst(peer, finish.pointer, UInt32(items))
    cl_uv_post_run(peer)
    return try finish.nanoseconds(since: began)
  }

  private func postAcross(
    _ items: Int,
    _ peer: OpaquePointer,
    _ finish: FinishLine,
    producerCPU: Int?
  ) throws(PeerFailure) -> UInt64 {
    finish.reset(target: items)
    let shared = Shared((peer: peer, finish: finish.pointer))
    return try PostBurst.nanoseconds(producerCPU: producerCPU, finish: finish) {
      cl_uv_post_burst(shared.value.peer, shared.value.finish, UInt32(items))
    } runLoop: {
      cl_uv_post_run(peer)
    }
  }
}
