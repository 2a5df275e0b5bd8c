import CLibUV
import LoopTransactions
import RespProtocol

/// A client's connection. Loop thread only.
///
/// A connection collects its replies and messages. At the end of a tick, a transaction
/// sends all of them with one system call.
final class Connection {
  static let flush = Selector<Connection>("flush") { $0.send() }

  let loop: ServerLoop
  /// The channels that the client is subscribed to.
  var channels: Set<Bytes> = []

  private let stream: UnsafeMutablePointer<uv_tcp_t>
  private var parser = RequestParser()
  // Bytes that were read but not served yet. They are waiting requests or the start
  // of a request.
  private var input: [UInt8] = []
  private var isServing = false
  private var output = Output()
  private var isWriting = false
  private var isReading = false
  // Whether the next request is a PUBLISH that waits until a loop's backlog has
  // shrunk.
  private var isPublishPaused = false
  // Whether the connection closes once its output has been sent.
  private var closesAfterSending = false
  private(set) var isClosing = false

  /// Takes ownership of `socket` and starts reading. Returns nil if libuv cannot
  /// create a handle.
  init?(_ socket: Int32, on loop: ServerLoop) {
    self.loop = loop
    stream = .allocate(capacity: 1)
    guard uv_tcp_init(loop.uv, stream) == 0 else {
      stream.deallocate()
      closeSocket(socket)
      loop.didFreeDescriptor()
      return nil
    }
    resp_set_handle_data(stream, Unmanaged.passRetained(self).toOpaque())
    guard uv_tcp_open(stream, socket) == 0 else {
      closeSocket(socket)
      close()
      return nil
    }
    uv_tcp_nodelay(stream, 1)
    startReading()
  }

  private func withStream<Result>(_ body: (UnsafeMutablePointer<uv_stream_t>) -> Result) -> Result {
    stream.withMemoryRebound(to: uv_stream_t.self, capacity: 1, body)
  }

  /// Closes the connection. libuv's close callback releases it.
  func close() {
    guard !isClosing else { return }
    isClosing = true
    loop.remove(self)
    output.removeAll()
    // uv_close closes the descriptor immediately.
    stream.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, connectionClosed) }
    loop.didFreeDescriptor()
  }

  fileprivate func free() { stream.deallocate() }
}

// Requests.
extension Connection {
  private func startReading() {
    guard !isReading, !isClosing, !closesAfterSending else { return }
    isReading = true
    _ = withStream { uv_read_start($0, connectionAllocates, connectionRead) }
  }

  private func stopReading() {
    guard isReading, !isClosing else { return }
    isReading = false
    _ = withStream { uv_read_stop($0) }
  }

  /// Serves `count` bytes at `bytes`, or handles the end of the stream or an error.
  fileprivate func didRead(_ count: Int, _ bytes: UnsafeRawPointer?) {
    if count == 0 { return }
    // The client sends no more requests, but may still read. Every complete request
    // has been served, because the server does not read while requests are waiting.
    if count == Int(UV_EOF.rawValue) { return closeAfterSending() }
    guard count > 0, let bytes else { return close() }
    let new = UnsafeRawBufferPointer(start: bytes, count: count)
    if input.isEmpty {
      input.append(contentsOf: new[serve(new)...])
    } else {
      input.append(contentsOf: new)
      serveInput()
    }
    if isThrottled { stopReading() }
  }

  /// Serves the requests at the start of `bytes` until the connection is throttled or
  /// closes. Returns the number of bytes served.
  private func serve(_ bytes: UnsafeRawBufferPointer) -> Int {
    isServing = true
    defer { isServing = false }
    var served = 0
    while served < bytes.count, !closesAfterSending, !isClosing, !isThrottled {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[served...])
      switch parser.parse(rest) {
      case .incomplete: return served
      case .protocolError(let message):
        reply { $0.error("ERR Protocol error: \(message)") }
        closeAfterSending()
      case .request(let length):
        if !parser.arguments.isEmpty {
          let request = Request(bytes: rest, words: parser.arguments)
          if loop.pausesPublishers, request.name == "PUBLISH" {
            pausePublishing()
          } else {
            perform(request)
          }
        }
        if !isPublishPaused { served += length }
      }
    }
    return closesAfterSending || isClosing ? bytes.count : served
  }

  private func serveInput() {
    // `input` is empty while requests are served, because serving a request may close
    // the connection.
    var bytes: [UInt8] = []
    swap(&bytes, &input)
    bytes.removeFirst(bytes.withUnsafeBytes { serve($0) })
    // Frees the memory of a large request.
    if bytes.capacity > Self.spareCapacity, bytes.count <= bytes.capacity / 4 {
      bytes = bytes.withUnsafeBytes { Array($0) }
    }
    swap(&bytes, &input)
  }

  private static var spareCapacity: Int { 16 << 10 }

  /// Whether the server temporarily neither reads from this client nor serves its
  /// requests. This is the case if the client does not read its replies, or publishes
  /// faster than its messages are delivered.
  private var isThrottled: Bool { isPublishPaused || output.count > Self.outputLimit }

  private func pausePublishing() {
    isPublishPaused = true
    loop.addPausedPublisher(self)
  }

  func resumePublishing() {
    isPublishPaused = false
    resumeServing()
  }

  /// Serves the waiting requests and starts reading again.
  private func resumeServing() {
    // If `serve` is on the stack, it serves the waiting requests itself.
    guard !isServing, !closesAfterSending, !isClosing, !isThrottled else { return }
    if !input.isEmpty { serveInput() }
    if !isThrottled { startReading() }
  }

  /// Closes the connection once its output has been sent. Ends its subscriptions.
  func closeAfterSending() {
    closesAfterSending = true
    stopReading()
    loop.unsubscribeAll(self)
    if output.isEmpty { close() } else { loop.commit(self) }
  }

  private static var outputLimit: Int { 1 << 20 }
  // If the client does not read, messages from other clients can make its output
  // exceed `outputLimit`.
  fileprivate static var subscriberOutputLimit: Int { 64 << 20 }
}

// Replies and messages.
extension Connection {
  /// Adds the reply that `write` creates to the output.
  func reply(_ write: (inout Reply) -> Void) {
    guard !isClosing else { return }
    var reply = Reply()
    write(&reply)
    reply.bytes.withUnsafeBytes { output.append($0) }
    loop.didReply()
    scheduleSend()
  }

  /// Adds a published message, which other subscribers share, to the output.
  func deliver(_ message: Chunk) {
    guard !isClosing else { return }
    output.append(message)
    loop.didReply()
    if output.count > Self.subscriberOutputLimit { return close() }
    scheduleSend()
  }

  private func scheduleSend() {
    if loop.coalesces { loop.commit(self) } else { send() }
  }

  /// Sends the output that the socket accepts without blocking, and sends the rest
  /// later.
  fileprivate func send() {
    guard !isClosing, !isWriting, !output.isEmpty else { return }
    loop.didWrite()
    let result = output.withBuffers { buffers, count in
      withStream { uv_try_write($0, buffers, count) }
    }
    if result < 0, result != UV_EAGAIN.rawValue { return close() }
    output.didSend(max(0, Int(result)))
    if output.isEmpty { didSend() } else { sendLater() }
  }

  /// Sends the output when the socket becomes writable.
  private func sendLater() {
    isWriting = true
    loop.didWrite()
    let write = Write(self, output.count)
    let result = output.withBuffers { buffers, count in
      withStream { uv_write(write.request, $0, buffers, count, connectionWrote) }
    }
    if result < 0 { write.didNotStart() }
  }

  fileprivate func didWrite(_ count: Int, _ result: Int32) {
    isWriting = false
    guard !isClosing else { return }
    guard result == 0 else { return close() }
    output.didSend(count)
    if !output.isEmpty { send() }
    didSend()
  }

  private func didSend() {
    if closesAfterSending, output.isEmpty { close() } else { resumeServing() }
  }
}

/// A write in progress. It retains the connection, which owns the bytes to send.
private final class Write {
  let request: UnsafeMutablePointer<uv_write_t> = .allocate(capacity: 1)
  private let connection: Connection
  private let count: Int

  init(_ connection: Connection, _ count: Int) {
    self.connection = connection
    self.count = count
    resp_set_request_data(request, Unmanaged.passRetained(self).toOpaque())
  }

  deinit { request.deallocate() }

  func didEnd(_ result: Int32) { connection.didWrite(count, result) }

  /// Call if `uv_write` failed, because libuv does not call the callback in that
  /// case.
  func didNotStart() {
    Unmanaged.passUnretained(self).release()
    connection.close()
  }
}

private func connectionWrote(_ request: UnsafeMutablePointer<uv_write_t>?, _ result: Int32) {
  guard let data = resp_request_data(request) else { return }
  Unmanaged<Write>.fromOpaque(data).takeRetainedValue().didEnd(result)
}

private func connectionAllocates(
  _ handle: UnsafeMutablePointer<uv_handle_t>?,
  _ size: Int,
  _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
  guard let data = resp_handle_data(handle) else { return }
  Unmanaged<Connection>.fromOpaque(data)._withUnsafeGuaranteedRef { connection in
    buffer?.pointee = connection.loop.readBuffer
  }
}

private func connectionRead(
  _ stream: UnsafeMutablePointer<uv_stream_t>?,
  _ count: Int,
  _ buffer: UnsafePointer<uv_buf_t>?
) {
  guard let data = resp_handle_data(stream) else { return }
  Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
    .didRead(count, resp_buffer_start(buffer))
}

private func connectionClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  guard let data = resp_handle_data(handle) else { return }
  Unmanaged<Connection>.fromOpaque(data).takeRetainedValue().free()
}
