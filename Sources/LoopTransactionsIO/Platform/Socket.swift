import CUV
import LoopTransactions

/// Sockets that no libuv stream owns.
enum Socket {
  /// Opens a socket that listens on `endpoint`, and shares the port if `shares`
  /// is true.
  static func listen(on endpoint: Endpoint, backlog: Int, shares: Bool) throws(UVError) -> Int32 {
    let operation = "EventLoop.listen on \(endpoint)"
    let hint = endpoint.isUnix ? "use a shorter path" : "use a numeric address, such as 127.0.0.1"
    let address = try SocketAddress(endpoint, operation, hint: hint)
    let result = lt_socket_listen(address.raw, Int32(clamping: backlog), shares ? 1 : 0)
    return try check(result, operation)
  }

  /// Accepts a connection from `listener`. Returns its socket, or a negative
  /// error.
  static func accept(_ listener: Int32) -> Int32 { lt_socket_accept(listener) }

  static func close(_ socket: Int32) { lt_descriptor_close(socket) }

  /// Detaches from the parent's socket, in a forked child.
  static func abandonInChild(_ socket: Int32) { lt_socket_abandon(socket) }

  /// Removes the file of a Unix socket.
  static func removeFile(_ path: String) { lt_remove_file(path) }

  /// Makes SIGPIPE not end the process, unless the process handles it.
  static func ignoreBrokenPipes() { lt_ignore_broken_pipes() }
}

/// The error codes that this library handles.
enum ErrorCode {
  static let wouldBlock = UV_EAGAIN.rawValue
  static let cancelled = UV_ECANCELED.rawValue
  static let timedOut = UV_ETIMEDOUT.rawValue
  static let invalid = UV_EINVAL.rawValue

  /// Whether a failed `accept` concerns only one connection, so that the next
  /// attempt may succeed.
  static func isSkippable(_ code: Int32) -> Bool {
    [UV_ECONNABORTED, UV_EPROTO, UV_EINTR].contains { $0.rawValue == code }
  }
}
