import CUV
import LoopTransactions

/// A socket address, as the system represents it.
struct SocketAddress {
  private var raw = lt_address()

  private init() {}

  /// Converts an endpoint whose host is numeric. Throws `EINVAL` for a name.
  init(_ endpoint: Endpoint, _ operation: @autoclosure () -> String) throws(UVError) {
    let result =
      switch endpoint {
      case .tcp(let host, let port): lt_address_ip(&raw, host, Int32(port))
      case .unix(let path): lt_address_unix(&raw, path)
      }
    if result < 0 { throw UVError(code: result, operation: operation()) }
  }

  /// Returns the address of one end of a socket, or nil on failure.
  init?(of socket: Int32, isRemote: Bool) {
    guard lt_socket_address(&raw, socket, isRemote ? 1 : 0) == 0 else { return nil }
  }

  /// Returns the addresses that a lookup found, with `port`.
  static func found(_ list: UnsafeMutablePointer<addrinfo>?, port: Int) -> [SocketAddress] {
    var (addresses, next): ([SocketAddress], _) = ([], list)
    while let entry = next {
      var address = SocketAddress()
      lt_address_found(&address.raw, entry, Int32(port))
      addresses.append(address)
      next = entry.pointee.ai_next
    }
    return addresses
  }

  /// The address as an endpoint, or nil if its family is neither IP nor Unix.
  var endpoint: Endpoint? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      guard let start = text.baseAddress else { return nil }
      let port = withUnsafePointer(to: raw) { lt_address_describe($0, start, text.count) }
      let name = String(cString: start)
      if port >= 0 { return .tcp(host: name, port: Int(port)) }
      return port == -1 ? .unix(path: name) : nil
    }
  }

  func withAddress<Result>(_ body: (UnsafePointer<sockaddr>?) -> Result) -> Result {
    withUnsafePointer(to: raw) { body(lt_address_start($0)) }
  }

  /// Opens a listening socket. Returns it, or a negative error.
  func listen(backlog: Int, reusesPort: Bool) -> Int32 {
    withUnsafePointer(to: raw) {
      lt_socket_listen($0, Int32(clamping: backlog), reusesPort ? 1 : 0)
    }
  }
}
