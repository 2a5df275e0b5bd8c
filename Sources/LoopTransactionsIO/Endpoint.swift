/// The address of a stream socket.
///
/// A value: create and read it on any thread.
public enum Endpoint: Hashable, Sendable {
  /// An IP address or a host name, and a port from 0 to 65,535. `connect`
  /// resolves names; `listen` requires a numeric address such as `127.0.0.1`
  /// or `::1`. A listener on port 0 gets a free port.
  case tcp(host: String, port: Int)

  /// A Unix socket, by the path of its file.
  case unix(path: String)

  /// A Unix socket of Linux that has a name and no file.
  ///
  /// The name does not include the zero byte with which the kernel marks it. Zero
  /// bytes in it count. Elsewhere, using it throws `ENOTSUP`.
  case abstract(name: String)

  var isUnix: Bool { if case .tcp = self { false } else { true } }
}

extension Endpoint: CustomStringConvertible {
  /// The host and port, as `127.0.0.1:80` or `[::1]:80`, the path, or an abstract
  /// name behind `@`.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    case .abstract(let name): "@\(name)"
    }
  }
}

extension Connection {
  /// The address of the peer, or nil if the connection is closed or the peer
  /// has left.
  public var remoteEndpoint: Endpoint? { on("Connection.remoteEndpoint").endpoint(isRemote: true) }

  /// The address of this side, or nil if the connection is closed.
  public var localEndpoint: Endpoint? { on("Connection.localEndpoint").endpoint(isRemote: false) }

  private func endpoint(isRemote: Bool) -> Endpoint? {
    guard state.stage != .closed, let descriptor = stream.descriptor else { return nil }
    return SocketAddress(of: descriptor, isRemote: isRemote)?.endpoint
  }
}
