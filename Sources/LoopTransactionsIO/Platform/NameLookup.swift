import CUV
import LoopTransactions

/// A name lookup on one of libuv's threads. Loop thread only.
///
/// Retained until libuv has called back, which it does even after `cancel()`.
final class NameLookup {
  private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
  private let port: Int
  private var didEnd: ((_ status: Int32, [SocketAddress]) -> Void)?

  /// Looks up `host`, and calls `didEnd` unless it is cancelled.
  init(
    _ host: String,
    port: Int,
    on loop: UnsafeMutableRawPointer,
    _ operation: @autoclosure () -> String,
    _ didEnd: @escaping (_ status: Int32, [SocketAddress]) -> Void
  ) throws(UVError) {
    self.port = port
    self.didEnd = didEnd
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    let uv = loop.assumingMemoryBound(to: uv_loop_t.self)
    let result = uv_getaddrinfo(uv, request, lookupEnded, host, nil, &hints)
    if result < 0 { throw UVError(code: result, operation: operation()) }
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  deinit { request.deallocate() }

  /// Forgets the result.
  func cancel() {
    didEnd = nil
    request.withMemoryRebound(to: uv_req_t.self, capacity: 1) { _ = uv_cancel($0) }
  }

  fileprivate func end(_ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
    let body = didEnd
    didEnd = nil
    body?(status, SocketAddress.found(list, port: port))
  }
}

private func lookupEnded(
  _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?,
  _ status: Int32,
  _ list: UnsafeMutablePointer<addrinfo>?
) {
  defer { uv_freeaddrinfo(list) }
  guard let data = request?.pointee.data else { return }
  Unmanaged<NameLookup>.fromOpaque(data).takeRetainedValue().end(status, list)
}
