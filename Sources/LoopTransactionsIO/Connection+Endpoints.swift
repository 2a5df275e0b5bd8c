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
