public import LoopTransactions

extension EventLoop {
  /// Listens on `endpoint`, and calls `onConnection` with each new connection.
  ///
  /// Call on the loop. At most 64 connections are accepted between two polls.
  /// TCP connections do not delay small writes (`TCP_NODELAY`).
  ///
  /// The first use of this library in a process installs a handler for SIGPIPE
  /// that does nothing, unless the process handles or ignores the signal. So a
  /// lost connection does not end the process. Started programs and forked
  /// children have the signal's default disposition.
  ///
  /// ```swift
  /// let address = Endpoint.tcp(host: "127.0.0.1", port: 0)
  /// let listener = try loop.listen(on: address) { connection in
  ///   connection.onRead = { bytes in connection.write(bytes) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - endpoint: A numeric address, the path of a Unix socket, which must not
  ///     exist, or an abstract name.
  ///   - backlog: The number of connections that wait to be accepted. The
  ///     system may use less: `net.core.somaxconn` on Linux.
  ///   - reusesPort: Whether several listeners, of this process or others of
  ///     the same user, share a TCP port (`SO_REUSEPORT`). The system spreads
  ///     connections among them. To notice another program on the port, listen
  ///     without it first and close that listener.
  ///   - retryDelay: The time after which a listener without a free descriptor
  ///     tries again if no connection of this process has closed.
  ///   - onConnection: Called on the loop. Released when the listener closes.
  /// - Returns: The listener. The loop keeps it, so the caller need not.
  /// - Throws: `UVError` if the host is not numeric, the address is in use or
  ///   not permitted, or the system is out of descriptors or memory. `EINVAL` if
  ///   the host or path has a zero byte, or if the path or name is empty.
  /// - Precondition: The port is from 0 to 65,535.
  @discardableResult
  public func listen(
    on endpoint: Endpoint,
    backlog: Int = 4096,
    reusesPort: Bool = false,
    retryDelay: Duration = .seconds(1),
    _ onConnection: @escaping (Connection) -> Void
  ) throws(UVError) -> Listener {
    let io = LoopIO.of(self, "EventLoop.listen")
    let socket = try Socket.listen(on: endpoint, backlog: backlog, shares: reusesPort)
    return try Listener(endpoint, socket, io, retryDelay: retryDelay, onConnection)
  }

  /// Connects to `endpoint`, and calls `completion` exactly once.
  ///
  /// Call on the loop. A name is looked up on another thread, and its addresses
  /// are tried one after the other. The process looks up at most 16 names at once.
  /// `completion` is never called inside this function. It gets `ECANCELED` if the
  /// loop is closed first, which does not wait for a lookup in progress.
  ///
  /// - Parameters:
  ///   - endpoint: An address, or a name of a host. The error is `EINVAL` if the
  ///     host or path has a zero byte, or if the path is empty.
  ///   - timeout: The limit for the lookup and all attempts together, after
  ///     which the error is `ETIMEDOUT`. If nil, the system's limits apply.
  ///   - completion: Called on the loop, with the connection or the last error.
  /// - Precondition: The port is from 0 to 65,535.
  public func connect(
    to endpoint: Endpoint,
    timeout: Duration? = nil,
    _ completion: @escaping (Result<Connection, UVError>) -> Void
  ) {
    _ = Connector(endpoint, LoopIO.of(self, "EventLoop.connect"), timeout: timeout, completion)
  }

  /// Connects to `endpoint`.
  ///
  /// Call from a task on the loop: of an actor pinned to it, or one that prefers
  /// it as its executor. Otherwise the same as with a completion.
  ///
  /// - Throws: `UVError` if the connection fails. `CancellationError` if the task
  ///   is cancelled while it waits.
  public func connect(
    to endpoint: Endpoint,
    timeout: Duration? = nil,
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws -> Connection {
    let io = LoopIO.of(self, "EventLoop.connect")
    let suspension = Suspension(io.core)
    var outcome: Result<Connection, UVError>?
    let connector = Connector(endpoint, io, timeout: timeout) {
      outcome = $0
      suspension.resume()
    }
    connector.suspension = suspension
    try await suspension.wait(isolation: actor) {
      connector.cancel()
      if case .success(let connection) = outcome { connection.closeImmediately() }
    }
    guard let outcome else { throw CancellationError() }
    return try outcome.get()
  }

  /// Makes a connection of a connected stream socket, such as one end of a
  /// socket pair.
  ///
  /// Call on the loop. The connection owns the socket, which is closed if this
  /// throws. Programs that the process starts inherit it, unless it has
  /// `FD_CLOEXEC`. Descriptors 0 to 2, as a program of `inetd` gets, are moved to
  /// another one with `FD_CLOEXEC`, and `/dev/null` takes their place.
  ///
  /// The connection sets the socket to non-blocking mode. Duplicates of the
  /// descriptor share that mode, also in other processes: a program that prints
  /// to one of them may lose output. When the connection closes, a socket that
  /// was in blocking mode and is still standard input, output or error is set to
  /// blocking mode again. Any other socket stays non-blocking.
  ///
  /// - Throws: `UVError` if `descriptor` is not an open socket, or the system
  ///   is out of memory.
  public func connection(adopting descriptor: Int32) throws(UVError) -> Connection {
    let operation: StaticString = "EventLoop.connection(adopting:)"
    let io = LoopIO.of(self, operation)
    return Connection(try Stream(adopting: descriptor, io, "\(operation) \(descriptor)"), io)
  }
}
