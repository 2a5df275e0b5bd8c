import LoopTransactions

/// The address of a stream socket.
///
/// A value: create and read it on any thread.
public enum Endpoint: Hashable, Sendable {
  /// An IP address or a host name, and a port from 0 to 65,535. `connect`
  /// resolves names; `listen` requires a numeric address such as `127.0.0.1`
  /// or `::1`. A listener on port 0 gets a free port.
  case tcp(host: String, port: Int)

  /// A Unix socket, by its path.
  case unix(path: String)
}

extension Endpoint: CustomStringConvertible {
  /// The host and port, as `127.0.0.1:80` or `[::1]:80`, or the path.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}

extension Endpoint {
  var isUnix: Bool {
    switch self {
    case .unix: true
    case .tcp: false
    }
  }

  /// Traps if the port is out of range.
  func checkPort(_ operation: String) {
    guard case .tcp(_, let port) = self else { return }
    require(
      (0...65_535).contains(port),
      "\(operation): the port must be from 0 to 65535, got \(port)"
    )
  }
}
