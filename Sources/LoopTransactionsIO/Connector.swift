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
  // The error of the last attempt.
  private var code = ErrorCode.invalid

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
        fail(ErrorCode.timedOut, " after \(timeout)")
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
      guard case .tcp(let host, let port) = endpoint else { return failLater(error.code) }
      do { lookup = try NameLookup(host, port: port, for: self) } catch { failLater(error.code) }
    }
  }

  /// Called even if the connector has ended.
  func didLookUp(_ status: Int32, _ found: [SocketAddress]) {
    lookup = nil
    guard completion != nil else { return }
    if status < 0 { code = status }
    addresses = found[...]
    connectNext()
  }

  /// Connects to the next address. After the last, fails with its error.
  private func connectNext() {
    while let address = addresses.popFirst() {
      do throws(UVError) {
        let stream = try Stream(unix: endpoint.isUnix, io, operation)
        self.stream = stream
        stream.setOwner(self)
        return try stream.connect(to: address, operation)
      } catch {
        closeStream()
        code = error.code
      }
    }
    failLater(code)
  }

  func didConnect(_ status: Int32) {
    guard let stream, completion != nil else { return }
    if status < 0 {
      code = status
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
  private func failLater(_ code: Int32) { io.loop.post { self.fail(code) } }

  private func fail(_ code: Int32, _ details: String = "") {
    finish(.failure(UVError(code: code, operation: operation + details)))
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
    lookup?.cancel()
    closeStream()
    io.remove(self)
    io.loop.handlesChanged()
  }
}

extension Connector: LoopIOMember {
  var handle: UnsafeMutableRawPointer? { stream?.address }

  func endWithLoop() { fail(ErrorCode.cancelled, " (the loop was closed)") }

  func endWithoutLoop() {
    stream?.endWithoutLoop()
    completion = nil
    let released = operation + " (the loop was released)"
    suspension?.resume(.failure(UVError(code: ErrorCode.cancelled, operation: released)))
  }

  func abandonInChild() { stream?.abandonInChild() }
}
