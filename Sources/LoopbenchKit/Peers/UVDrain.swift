private import CLoopbench

/// `drain` in C on libuv.
struct UVDrain: Peer {
  let name = "uv"
  let scenario = "drain"
  let series = DrainLoad.series
  let isReference = true
  let summary = "C on libuv: a linked list under uv_mutex, a flag in the object, drained in prepare"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard let peer = cl_uv_drain_open(UInt32(slice.effort.operations)) else { throw .noLoop }
    defer { cl_uv_drain_close(peer) }
    let batch = UInt32(DrainLoad.batch(for: slice))
    slice.sample { _ in cl_uv_drain_burst(peer, batch) }
  }
}
