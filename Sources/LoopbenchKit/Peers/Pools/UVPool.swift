private import CLoopbench

/// libuv's own threads.
struct UVPool: FunctionPool {
  static let name = "uvwork"
  static let summary =
    "C on libuv: uv_queue_work, a request from malloc, its callback on the loop; no priorities"
  static let poolSeries = ["empty", "transactions"]

  private let peer: Shared<OpaquePointer>

  static func open() throws(PeerFailure) -> UVPool {
    guard let peer = cl_uv_work_open(UInt32(PoolLoad.workers)) else { throw .noLoop }
    return UVPool(peer: Shared(peer))
  }

  /// Of one urgency; call on the thread that opened it.
  func add(
    _ function: @escaping PostedFunction,
    context: UnsafeMutableRawPointer?,
    _ urgency: Urgency
  ) {
    cl_uv_work_add(peer.value, function, context, nil, nil)
  }

  func settle() { cl_uv_work_run(peer.value) }

  static func measureTransactions(_ slice: inout Slice) throws(PeerFailure) {
    try using { (pool) throws(PeerFailure) in
      let finish = FinishLine()
      try slice.sample { (operations) throws(PeerFailure) in
        finish.reset(target: operations)
        let began = cl_now()
        for _ in 0..<operations {
          cl_uv_work_add(pool.peer.value, nil, nil, cl_finish_step, finish.pointer)
        }
        cl_uv_work_run(pool.peer.value)
        return try finish.nanoseconds(since: began)
      }
    }
  }

  func close() { cl_uv_work_close(peer.value) }
}
