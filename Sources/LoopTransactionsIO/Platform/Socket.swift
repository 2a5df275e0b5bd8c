import CUV
import LoopTransactions

/// Sockets that no libuv stream owns.
enum Socket {
  /// Opens a socket that listens on `endpoint`, and shares the port if `shares`
  /// is true.
  static func listen(on endpoint: Endpoint, backlog: Int, shares: Bool) throws(UVError) -> Int32 {
    let operation = "EventLoop.listen on \(endpoint)"
    let address = try SocketAddress(
      endpoint,
      operation,
      hint: endpoint.isUnix ? nil : "use a numeric address, such as 127.0.0.1"
    )
    let result = lt_socket_listen(address.raw, Int32(clamping: backlog), shares ? 1 : 0)
    return try check(result, operation)
  }

  /// Opens a Unix socket that is connected to `address`.
  ///
  /// Not by libuv, whose `uv_pipe_connect` cuts long paths and takes no abstract
  /// name.
  static func connect(
    to address: SocketAddress,
    _ operation: String
  ) throws(UVError) -> Int32 { try check(lt_socket_connect(address.raw), operation) }

  /// Accepts a connection from `listener`. Returns its socket, or a negative
  /// error.
  static func accept(_ listener: Int32) -> Int32 { lt_socket_accept(listener) }

  static func close(_ socket: Int32) { lt_descriptor_close(socket) }

  /// Detaches from the parent's socket, in a forked child.
  static func abandonInChild(_ socket: Int32) { lt_socket_abandon(socket) }

  /// Makes a write to a broken pipe not end the process, unless the process
  /// handles SIGPIPE.
  static func surviveBrokenPipes() { lt_survive_broken_pipes() }

  /// Makes libuv open no standard stream.
  // Ignored: without a free descriptor, libuv opens none either.
  static func fillStandardStreams() { _ = lt_fill_standard_streams() }
}

/// The file of a Unix socket.
struct SocketFile {
  private let path: String
  private var identity = lt_file_identity()

  /// Remembers which file is at `path`. Nil if there is none.
  init?(_ path: String) {
    self.path = path
    let result = path.withWholeCString { lt_file_identify($0, &identity) }
    if result != 0 { return nil }
  }

  /// Removes the file, unless another one is at its path. Call before the socket
  /// is closed.
  func remove() {
    _ = path.withWholeCString {
      lt_file_remove($0, identity)
      return 0
    }
  }
}

/// The error codes that this library handles.
enum ErrorCode {
  static let wouldBlock = UV_EAGAIN.rawValue
  static let cancelled = UV_ECANCELED.rawValue
  static let timedOut = UV_ETIMEDOUT.rawValue
  static let invalid = UV_EINVAL.rawValue
  static let tooLong = UV_ENAMETOOLONG.rawValue

  /// Whether a failed `accept` concerns only one connection, so that the next
  /// attempt may succeed.
  static func isSkippable(_ code: Int32) -> Bool {
    [UV_ECONNABORTED, UV_EPROTO, UV_EINTR].contains { $0.rawValue == code }
  }
}
