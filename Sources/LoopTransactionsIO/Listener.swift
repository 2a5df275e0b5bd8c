public import LoopTransactions

/// A listening socket that accepts connections on a loop.
///
/// Made by `EventLoop.listen`. Call everything on the loop; calls from another
/// thread trap. The loop keeps a listener until it is closed, and keeps running
/// while it accepts.
///
/// If the system has no descriptor for a connection, the listener stops
/// accepting. It resumes when any connection of the process closes, and
/// otherwise after `retryDelay`. In the meantime new connections wait in the
/// backlog of the socket, and the other connections are served.
///
/// Corresponds to `ServerBootstrap` in SwiftNIO and to `uv_listen` in libuv.
public final class Listener {
  /// The address that the listener is bound to, with the actual port.
  public let endpoint: Endpoint

  // All properties are accessed on the loop's thread only.
  enum State {
    case accepting
    /// `pause()` was called.
    case paused
    /// Out of descriptors. Resumes when one is freed or the timer fires.
    case waiting(retry: LoopTimer)
    case closed
  }

  let io: LoopIO
  private let socket: ListeningSocket
  private let retryDelay: Duration
  private var state = State.accepting
  private var number: UInt64 = 0
  private var connectionBody: ((Connection) -> Void)?
  private var pauseBody: ((UVError) -> Void)?

  /// Accepts a connection of a socket. Returns its descriptor, or a negative
  /// error. Tests replace it.
  package var accept: (Int32) -> Int32 = ListeningSocket.accept

  init(
    _ endpoint: Endpoint,
    _ io: LoopIO,
    backlog: Int,
    reusesPort: Bool,
    retryDelay: Duration,
    _ onConnection: @escaping (Connection) -> Void
  ) throws(UVError) {
    let operation = "EventLoop.listen on \(endpoint)"
    let address = try SocketAddress(endpoint, Self.explained(operation, endpoint))
    let descriptor = address.listen(backlog: backlog, reusesPort: reusesPort)
    if descriptor < 0 { throw UVError(code: descriptor, operation: operation) }
    socket = try ListeningSocket(descriptor, on: io.libuvLoop, operation)
    self.endpoint = SocketAddress(of: descriptor, isRemote: false)?.endpoint ?? endpoint
    self.io = io
    self.retryDelay = retryDelay
    connectionBody = onConnection
    number = io.add(self)
    socket.setOwner(self)
    socket.start(listenerIsReadable)
  }

  private static func explained(_ operation: String, _ endpoint: Endpoint) -> String {
    operation
      + (endpoint.isUnix ? " (use a shorter path)" : " (use a numeric address, such as 127.0.0.1)")
  }

  /// Whether the listener accepts connections: it is neither paused, nor
  /// waiting for a descriptor, nor closed.
  public var isAccepting: Bool {
    if case .accepting = on("Listener.isAccepting").state { true } else { false }
  }

  /// Called when the system has no descriptor for a connection, with the error.
  /// The listener resumes by itself.
  public var onPause: ((UVError) -> Void)? {
    get { on("Listener.onPause").pauseBody }
    set { if !on("Listener.onPause").isClosed { pauseBody = newValue } }
  }

  /// Stops accepting until `resume()`. New connections wait in the backlog of
  /// the socket, and the loop does not keep running for this listener.
  public func pause() {
    if on("Listener.pause").isClosed { return }
    stopWaiting()
    socket.stop()
    state = .paused
  }

  /// Accepts again after `pause()`.
  public func resume() {
    if case .paused = on("Listener.resume").state { start() }
  }

  /// Stops accepting, closes the socket, and removes the file of a Unix socket.
  /// Connections stay open.
  ///
  /// Calling it again does nothing.
  public func close() {
    if on("Listener.close").isClosed { return }
    stopWaiting()
    state = .closed
    socket.setOwner(nil)
    socket.close()
    if case .unix(let path) = endpoint { ListeningSocket.removeFile(path) }
    io.remove(number)
    DescriptorWaiters.shared.value.didFree()
    releaseCallbacks()
  }

  private var isClosed: Bool { if case .closed = state { true } else { false } }

  /// Returns the listener, on the loop's thread. Traps on other threads.
  private func on(_ operation: StaticString) -> Listener {
    io.core.checkAccess(operation)
    return self
  }

  private func releaseCallbacks() {
    let callbacks = (connectionBody, pauseBody)
    (connectionBody, pauseBody) = (nil, nil)
    withExtendedLifetime(callbacks) {}
  }
}

extension Listener {
  private func start() {
    state = .accepting
    socket.start(listenerIsReadable)
  }

  /// Accepts the waiting connections, at most `batch` of them.
  func acceptBatch() {
    var isRegistered = false
    for _ in 0..<Self.batch {
      guard case .accepting = state else { return }
      let result = accept(socket.descriptor)
      switch result {
      case 0...: didAccept(result)
      case ErrorCode.wouldBlock: return
      case _ where ErrorCode.isSkippable(result): break
      // The error is usually EMFILE or ENFILE. An immediate retry would fail
      // again, with any error.
      case _ where isRegistered: return wait(result)
      default:
        // Order: registered before the last attempt. If another thread frees a
        // descriptor between that attempt and the wait, it ends the wait.
        DescriptorWaiters.shared.value.add(self)
        isRegistered = true
      }
    }
  }

  private func didAccept(_ descriptor: Int32) {
    let connection: Connection
    do { connection = try Connection(descriptor, io, "Listener") } catch {
      // The socket is closed. Only the client knows of the connection.
      return
    }
    connectionBody?(connection)
  }

  private func wait(_ error: Int32) {
    socket.stop()
    state = .waiting(retry: io.loop.addTimer(after: retryDelay) { [unowned self] _ in retry() })
    pauseBody?(UVError(code: error, operation: "Listener on \(endpoint)"))
  }

  /// Ends the wait for a descriptor.
  func retry() {
    guard case .waiting = state else { return }
    stopWaiting()
    start()
  }

  private func stopWaiting() {
    DescriptorWaiters.shared.value.remove(self)
    if case .waiting(let retry) = state { retry.cancel() }
  }

  // The limit lets the loop serve connections between batches. Not measured.
  private static var batch: Int { 64 }
}

extension Listener: LoopIOMember {
  var handle: UnsafeMutableRawPointer? { socket.address }

  func endWithLoop() { close() }

  func endWithoutLoop() {
    DescriptorWaiters.shared.value.remove(self)
    socket.setOwner(nil)
    state = .closed
    releaseCallbacks()
  }

  func abandonInChild() {
    socket.setOwner(nil)
    socket.abandonInChild()
  }
}
