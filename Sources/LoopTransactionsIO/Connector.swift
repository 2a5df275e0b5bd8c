import LoopTransactions

/// An attempt to connect: the lookup of a name, and one address after the
/// other. Has exactly one outcome. Loop thread only.
final class Connector {
  let io: LoopIO
  private let endpoint: Endpoint
  private var completion: ((Result<Connection, UVError>) -> Void)?
  private var number: UInt64 = 0
  private var lookup: NameLookup?
  private var addresses: ArraySlice<SocketAddress> = []
  private var stream: Stream?
  private var timer: LoopTimer?
  private var error: UVError?

  /// A task that waits for the outcome.
  var suspension: Suspension?

  init(
    _ endpoint: Endpoint,
    _ io: LoopIO,
    timeout: Duration?,
    _ completion: @escaping (Result<Connection, UVError>) -> Void
  ) {
    self.endpoint = endpoint
    self.io = io
    self.completion = completion
    number = io.add(self)
    if let timeout {
      timer = io.loop.addTimer(after: timeout) { [unowned self] _ in
        finish(.failure(makeError(ErrorCode.timedOut, " after \(timeout)")))
      }
    }
    start()
  }

  private var operation: String { "EventLoop.connect to \(endpoint)" }

  private func makeError(_ code: Int32, _ details: String = "") -> UVError {
    UVError(code: code, operation: operation + details)
  }

  private func start() {
    do {
      addresses = [try SocketAddress(endpoint, operation)]
      connectNext()
    } catch {
      guard case .tcp(let host, let port) = endpoint else { return failLater(error) }
      lookUp(host, port)
    }
  }

  private func lookUp(_ host: String, _ port: Int) {
    do {
      lookup = try NameLookup(host, port: port, on: io.libuvLoop, operation) {
        [weak self] status, addresses in self?.didLookUp(status, addresses)
      }
    } catch { failLater(error) }
  }

  private func didLookUp(_ status: Int32, _ addresses: [SocketAddress]) {
    lookup = nil
    error = makeError(status < 0 ? status : ErrorCode.invalid)
    self.addresses = addresses[...]
    connectNext()
  }

  /// Connects to the next address. After the last, fails with its error.
  private func connectNext() {
    while let address = addresses.popFirst() {
      do throws(UVError) {
        let stream = try io.makeStream(unix: endpoint.isUnix, operation)
        self.stream = stream
        stream.setOwner(self)
        let result = stream.connect(to: address, streamDidConnect)
        if result == 0 { return }
        throw makeError(result)
      } catch {
        closeStream()
        self.error = error
      }
    }
    failLater(error ?? makeError(ErrorCode.invalid))
  }

  func didConnect(_ status: Int32) {
    guard let stream, completion != nil else { return }
    if status < 0 {
      error = makeError(status)
      closeStream()
      return connectNext()
    }
    self.stream = nil
    finish(.success(Connection(stream, io)))
  }

  private func closeStream() {
    stream?.setOwner(nil)
    stream?.close(streamDidClose)
    stream = nil
  }

  // Not at once, because `connect` never calls its completion itself.
  private func failLater(_ error: UVError) {
    self.error = error
    io.schedule(self)
  }

  private func finish(_ result: Result<Connection, UVError>) {
    guard let completion else { return }
    cancel()
    completion(result)
  }

  /// Ends without an outcome.
  func cancel() {
    completion = nil
    timer?.cancel()
    lookup?.cancel()
    closeStream()
    io.remove(number)
  }
}

extension Connector: LoopIOMember {
  func reportFailure() { if let error { finish(.failure(error)) } }

  var handle: UnsafeMutableRawPointer? { stream?.address }

  func endWithLoop() { finish(.failure(makeError(ErrorCode.cancelled, " (the loop was closed)"))) }

  func endWithoutLoop() {
    stream?.setOwner(nil)
    stream?.endWithoutLoop()
    completion = nil
    suspension?.resume(.failure(makeError(ErrorCode.cancelled, " (the loop was released)")))
  }

  func abandonInChild() {
    stream?.setOwner(nil)
    stream?.abandonInChild()
  }
}
