private import CLoopbench

/// The queue of `post` in C on libuv, as whatever runs functions.
struct UVQueue: FunctionQueue {
  static let name = "uv"
  static let summary = "C on libuv: a queue under uv_mutex, uv_async_send if it was empty"

  private let peer: Shared<OpaquePointer>

  static func open(cpu: Int?) throws(PeerFailure) -> UVQueue {
    guard let peer = cl_uv_post_open() else { throw .noLoop }
    return UVQueue(peer: Shared(peer))
  }

  func post(_ function: @escaping PostedFunction, context: UnsafeMutableRawPointer?) {
    cl_uv_post_item(peer.value, function, context)
  }

  func run() { cl_uv_post_run(peer.value) }

  func stop() { post(cl_uv_post_stop, context: UnsafeMutableRawPointer(peer.value)) }

  func close() { cl_uv_post_close(peer.value) }

  func beforeWaiting(
    _ function: @escaping PostedFunction,
    context: UnsafeMutableRawPointer?
  ) -> Bool {
    cl_uv_post_before_waiting(peer.value, function, context)
    return true
  }
}
