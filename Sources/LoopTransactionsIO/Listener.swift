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
  /// `paused`: `pause()` was called. `waiting`: out of descriptors, until one is
  /// freed or the timer fires.
  private enum State { case accepting, paused, waiting, closed }

  let io: LoopIO
  private let socket: Int32
  private let file: SocketFile?
  private let retryDelay: Duration
  // Not `uv_listen`. Without a free descriptor, it closes a spare descriptor,
  // accepts a connection, and repeats this without returning to the loop. If
  // another thread takes the spare descriptor, `accept` fails again and libuv
  // 1.44 never returns.
  private var watcher: DescriptorWatcher?
  private var state = State.accepting {
    didSet {
      if oldValue == .waiting { stopWaiting() }
      watcher?.events = state == .accepting ? .readable : []
    }
  }
  private var retryTimer: LoopTimer?
  private var connectionBody: ((Connection) -> Void)?
  private var pauseBody: ((UVError) -> Void)?

  /// Accepts a connection of a socket. Returns its descriptor, or a negative
  /// error. Tests replace it.
  package var accept: (Int32) -> Int32 = Socket.accept

  /// Takes ownership of a listening socket, also if this throws.
  init(
    _ endpoint: Endpoint,
    _ socket: Int32,
    _ io: LoopIO,
    retryDelay: Duration,
    _ onConnection: @escaping (Connection) -> Void
  ) throws(UVError) {
    (self.socket, self.io, self.retryDelay) = (socket, io, retryDelay)
    self.endpoint = SocketAddress(of: socket, isRemote: false)?.endpoint ?? endpoint
    if case .unix(let path) = endpoint { file = SocketFile(path) } else { file = nil }
    connectionBody = onConnection
    do throws(UVError) {
      // Makes libuv open the loop's spare descriptor. So a loop has as many
      // descriptors before its first connection as after its last.
      try Stream(unix: false, io, "EventLoop.listen").close()
      watcher = try io.loop.watch(socket, for: .readable) { [unowned self] _ in acceptBatch() }
    } catch {
      file?.remove()
      Socket.close(socket)
      throw error
    }
    io.add(self)
  }

  /// Whether the listener accepts connections: it is neither paused, nor
  /// waiting for a descriptor, nor closed.
  public var isAccepting: Bool { on("Listener.isAccepting").state == .accepting }

  /// Called when the system has no descriptor for a connection, with the error.
  /// The listener resumes by itself.
  public var onPause: ((UVError) -> Void)? {
    get { on("Listener.onPause").pauseBody }
    set { if on("Listener.onPause").state != .closed { pauseBody = newValue } }
  }

  /// Stops accepting until `resume()`. New connections wait in the backlog of
  /// the socket, and the loop does not keep running for this listener.
  public func pause() { if on("Listener.pause").state != .closed { state = .paused } }

  /// Accepts again after `pause()`.
  public func resume() { if on("Listener.resume").state == .paused { state = .accepting } }

  /// Stops accepting, closes the socket, and removes the file of a Unix socket,
  /// unless another file is at its path. Connections stay open.
  ///
  /// A relative path is looked up in the current directory of the process. In a
  /// forked child the file stays, because it belongs to the parent.
  ///
  /// Calling it again does nothing.
  public func close() {
    if on("Listener.close").state == .closed { return }
    watcher?.cancel()
    end()
    io.remove(self)
    DescriptorWaiters.didFree()
  }

  /// Closes the socket, which is not polled any more.
  private func end() {
    watcher = nil
    stopWaiting()
    state = .closed
    if !io.core.isForked { file?.remove() }
    Socket.close(socket)
    _ = (connectionBody.take(), pauseBody.take())
  }
}

extension Listener {
  /// Accepts the waiting connections, at most `batch` of them.
  func acceptBatch() {
    var isRegistered = false
    for _ in 0..<Self.batch {
      guard state == .accepting else { return }
      let result = accept(socket)
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
        DescriptorWaiters.add(self)
        isRegistered = true
      }
    }
  }

  private func didAccept(_ socket: Int32) {
    // On failure, the socket is closed. Only the client knows of the connection.
    guard let stream = try? Stream(adopting: socket, io, "Listener") else { return }
    connectionBody?(Connection(stream, io))
  }

  private func wait(_ error: Int32) {
    retryTimer = io.loop.addTimer(after: retryDelay) { [unowned self] _ in retry() }
    state = .waiting
    pauseBody?(UVError(code: error, operation: "Listener on \(endpoint)"))
  }

  /// Ends the wait for a descriptor.
  func retry() { if state == .waiting { state = .accepting } }

  private func stopWaiting() {
    DescriptorWaiters.remove(self)
    if let timer = retryTimer.take() { timer.cancel() }
  }

  // The limit lets the loop serve connections between batches. Not measured.
  private static var batch: Int { 64 }
}

extension Listener: LoopIOMember {
  // The loop knows the watcher's.
  var handle: UnsafeMutableRawPointer? { nil }

  func endWithLoop() { close() }

  func endWithoutLoop() {
    // The loop has ended the watcher, and ends the timer.
    retryTimer = nil
    end()
  }

  func abandonInChild() { Socket.abandonInChild(socket) }
}
