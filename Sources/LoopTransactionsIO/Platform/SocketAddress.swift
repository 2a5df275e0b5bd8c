import CUV
import LoopTransactions

/// A socket address, as the system represents it.
struct SocketAddress {
  private(set) var raw = lt_address()

  /// Copies one result of a lookup.
  private init(_ result: UnsafePointer<addrinfo>) { lt_address_found(&raw, result) }

  /// Converts an endpoint whose host is numeric. Throws `EINVAL` for a name. The
  /// error has `hint`.
  ///
  /// - Precondition: The port is in range.
  init(_ endpoint: Endpoint, _ operation: String, hint: String? = nil) throws(UVError) {
    let result: Int32
    switch endpoint {
    case .tcp(let host, let port):
      require(
        (0...65_535).contains(port),
        "\(operation.escapingControls()): the port must be from 0 to 65535, got \(port)"
      )
      result = host.withWholeCString { lt_address_ip(&raw, $0, Int32(port)) }
    case .unix(let path):
      result = path.withWholeCString { lt_address_unix(&raw, $0, path.utf8.count, 1) }
    case .abstract(var name):
      result = name.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          lt_address_unix(&raw, $0.baseAddress, $0.count, 0)
        }
      }
    }
    let hint = hint ?? Self.hint(for: result, endpoint)
    try check(result, hint.map { "\(operation) (\($0))" } ?? operation)
  }

  private static func hint(for result: Int32, _ endpoint: Endpoint) -> String? {
    switch (endpoint, result) {
    case (.tcp, _): nil
    case (_, ErrorCode.tooLong): "use a shorter path or name"
    case (.unix, ErrorCode.invalid): "use a path that is not empty and has no zero byte"
    case (.abstract, ErrorCode.invalid): "use a name that is not empty"
    default: nil
    }
  }

  /// Returns the address of one end of a socket, or nil on failure.
  init?(of socket: Int32, isRemote: Bool) {
    guard lt_socket_address(&raw, socket, isRemote ? 1 : 0) == 0 else { return nil }
  }

  /// Returns the addresses that a lookup found.
  static func all(of list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
    var (addresses, next): ([SocketAddress], _) = ([], list)
    while let entry = next {
      addresses.append(SocketAddress(entry))
      next = entry.pointee.ai_next
    }
    return addresses
  }

  /// The address as an endpoint, or nil if its family is neither IP nor Unix.
  var endpoint: Endpoint? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { text in
      var length = 0
      let port = text.withMemoryRebound(to: CChar.self) {
        lt_address_describe(raw, $0.baseAddress, $0.count, &length)
      }
      let name = String(decoding: text[..<length], as: UTF8.self)
      if port >= 0 { return .tcp(host: name, port: Int(port)) }
      if port == LT_PORT_PATH { return .unix(path: name) }
      return port == LT_PORT_ABSTRACT ? .abstract(name: name) : nil
    }
  }
}
