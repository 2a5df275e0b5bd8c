import LoopTransactions

/// An attempt to connect: the lookup of a name, and one address after the
/// other. Has exactly one outcome. Loop thread only.
final class Connector {
  let io: LoopIO
  private let endpoint: Endpoint
  private var completion: ((Result<Connection, UVError>) -> Void)?
  private var lookup: NameLookup?
  private var addresses: ArraySlice<SocketAddress> = []
  private var stream: Stream?
  private var timer = Watchdog()
  // The last attempt's.
  private var error: UVError?

  /// A task that waits for the outcome.
  var suspension: Suspension?

  init(
    _ endpoint: Endpoint,
    _ io: LoopIO,
    timeout: Duration?,
    _ completion: @escaping (Result<Connection, UVError>) -> Void
  ) {
    (self.endpoint, self.io, self.completion) = (endpoint, io, completion)
    io.add(self)
    if let timeout {
      timer.start(timeout, on: io.loop) { [unowned self] in
        fail(failure(ErrorCode.timedOut, " after \(timeout)"))
      }
    }
    start()
    io.loop.handlesChanged()
  }

  var operation: String { "EventLoop.connect to \(endpoint)" }

  private func start() {
    do throws(UVError) {
      addresses = [try SocketAddress(endpoint, operation)]
      connectNext()
    } catch {
      guard case .tcp(let host, let port) = endpoint else { return failLater(error) }
      lookup = NameLookup(host, port: port, for: self)
    }
  }

  func didLookUp(_ status: Int32, _ found: [SocketAddress]) {
    endLookup()
    let hint = status == ErrorCode.invalid ? " (use a host without a zero byte)" : ""
    if status < 0 { error = failure(status, hint) }
    addresses = found[...]
    connectNext()
  }

  private func endLookup() { lookup.take()?.cancel() }

  /// Connects to the next address. After the last, fails with its error.
  private func connectNext() {
    while let address = addresses.popFirst() {
      do throws(UVError) { return try connect(to: address) } catch {
        closeStream()
        DescriptorWaiters.didFree()
        self.error = error
      }
    }
    failLater(error ?? failure(ErrorCode.invalid))
  }

  private func connect(to address: SocketAddress) throws(UVError) {
    if endpoint.isUnix {
      let socket = try Socket.connect(to: address, operation)
      let stream = try Stream(adopting: socket, io, operation)
      stream.setOwner(self)
      self.stream = stream
      return io.loop.post { [self] in didConnect(0) }
    }
    let stream = try Stream(unix: false, io, operation)
    self.stream = stream
    stream.setOwner(self)
    try stream.connect(to: address, operation)
  }

  func didConnect(_ status: Int32) {
    guard let stream, completion != nil else { return }
    if status < 0 {
      error = failure(status)
      closeStream()
      return connectNext()
    }
    self.stream = nil
    finish(.success(Connection(stream, io)))
  }

  private func closeStream() {
    guard let stream = stream.take() else { return }
    stream.setOwner(nil)
    stream.close()
    // libuv has closed the descriptor.
    DescriptorWaiters.didFree()
  }

  // Not at once, because `connect` never calls its completion itself.
  private func failLater(_ error: UVError) { io.loop.post { self.fail(error) } }

  private func fail(_ error: UVError) { finish(.failure(error)) }

  private func failure(_ code: Int32, _ details: String = "") -> UVError {
    UVError(code: code, operation: operation + details)
  }

  private func finish(_ result: Result<Connection, UVError>) {
    guard let completion else { return }
    cancel()
    completion(result)
  }

  /// Ends without an outcome.
  func cancel() {
    completion = nil
    timer.stop()
    endLookup()
    closeStream()
    io.remove(self)
    io.loop.handlesChanged()
  }
}

extension Connector: LoopIOMember {
  var handle: UnsafeMutableRawPointer? { stream?.address }

  func endWithLoop() { fail(failure(ErrorCode.cancelled, " (the loop was closed)")) }

  func endWithoutLoop() {
    stream?.endWithoutLoop()
    completion = nil
    suspension?.resume(.failure(failure(ErrorCode.cancelled, " (the loop was released)")))
  }

  func abandonInChild() { stream?.abandonInChild() }
}
