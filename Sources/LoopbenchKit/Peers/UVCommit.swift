private import CLoopbench

/// `commit` in C on libuv.
struct UVCommit: Peer {
  let name = "uv"
  let scenario = "commit"
  let series = CommitLoad.series
  let isReference = true
  let summary = "C on libuv: a flag in the target, an array, performed in a prepare callback"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard let peer = cl_uv_commit_open(UInt32(CommitLoad.targets)) else { throw .noLoop }
    defer { cl_uv_commit_close(peer) }
    switch slice.series {
    case "duplicate":
      slice.sample { operations in
        cl_uv_commit_duplicates(peer, UInt32(operations / CommitLoad.targets))
      }
    case "first": slice.sample { _ in cl_uv_commit_first(peer) }
    default: throw slice.unknownSeries
    }
  }
}
