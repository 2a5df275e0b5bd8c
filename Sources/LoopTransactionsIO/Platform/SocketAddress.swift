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
    let attempt = hint.map { "\(operation) (\($0))" } ?? operation
    switch endpoint {
    case .tcp(let host, let port):
      require(
        (0...65_535).contains(port),
        "\(operation): the port must be from 0 to 65535, got \(port)"
      )
      try check(lt_address_ip(&raw, host, Int32(port)), attempt)
    case .unix(let path): try check(lt_address_unix(&raw, path), attempt)
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
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      guard let start = text.baseAddress else { return nil }
      let port = lt_address_describe(raw, start, text.count)
      let name = String(cString: start)
      if port >= 0 { return .tcp(host: name, port: Int(port)) }
      return port == -1 ? .unix(path: name) : nil
    }
  }
}

/// The lookup of a connector's host on one of libuv's threads. Loop thread only.
struct NameLookup {
  private let request: UnsafeMutablePointer<uv_getaddrinfo_t>

  /// Looks up `host`, and calls `connector.didLookUp`, even after `cancel()`.
  /// Retains the connector until then.
  init(_ host: String, port: Int, for connector: Connector) throws(UVError) {
    request = .allocate(size: uv_req_size(UV_GETADDRINFO))
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV
    let result = uv_getaddrinfo(connector.io.uv, request, lookupDidEnd, host, "\(port)", &hints)
    if result < 0 { request.deallocate() }
    try check(result, connector.operation)
    request.pointee.data = Unmanaged.passRetained(connector).toOpaque()
  }

  /// Ends the lookup early, unless a thread has started it.
  func cancel() {
    request.withMemoryRebound(to: uv_req_t.self, capacity: 1) { _ = uv_cancel($0) }
  }
}

private func lookupDidEnd(
  _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?,
  _ status: Int32,
  _ list: UnsafeMutablePointer<addrinfo>?
) {
  defer {
    uv_freeaddrinfo(list)
    request?.deallocate()
  }
  guard let data = request?.pointee.data else { return }
  let connector = Unmanaged<Connector>.fromOpaque(data).takeRetainedValue()
  connector.didLookUp(status, SocketAddress.all(of: list))
}
