import CLibUV
import LoopTransactions
import RespProtocol

/// A client. Of its loop's thread.
///
/// What it is told is collected, and sent by a transaction: all replies and messages
/// of a tick by one system call.
final class Connection {
  static let flush = Selector<Connection>("flush") { $0.send() }

  let loop: ServerLoop
  /// What it is subscribed to.
  var channels: Set<Bytes> = []

  private let stream: UnsafeMutablePointer<uv_tcp_t>
  private var parser = RequestParser()
  // What was read and is not served: the beginning of a request, or what waits.
  private var input: [UInt8] = []
  private var isServing = false
  private var output = Output()
  private var isWriting = false
  private var isReading = false
  /// Whether it waits to publish.
  private(set) var isHeld = false
  // Told to go: once what it is told is sent.
  private var isEnding = false
  private(set) var isClosing = false

  /// Serves the client at `socket`, which it owns. Nil if libuv refuses it.
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
    read(true)
  }

  private func withStream<Result>(_ body: (UnsafeMutablePointer<uv_stream_t>) -> Result) -> Result {
    stream.withMemoryRebound(to: uv_stream_t.self, capacity: 1, body)
  }

  /// Closes the connection. It is let go in libuv's callback.
  func close() {
    guard !isClosing else { return }
    isClosing = true
    loop.left(self)
    output.removeAll()
    // It closes the descriptor at once.
    stream.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, connectionClosed) }
    loop.didFreeDescriptor()
  }

  fileprivate func free() { stream.deallocate() }
}

// What it says.
extension Connection {
  private func read(_ wanted: Bool) {
    guard wanted != isReading, !isClosing, !wanted || !isEnding else { return }
    isReading = wanted
    if wanted {
      _ = withStream { uv_read_start($0, connectionAllocates, connectionRead) }
    } else {
      _ = withStream { uv_read_stop($0) }
    }
  }

  /// Serves what came: `count` bytes at `bytes`, or the end.
  fileprivate func didRead(_ count: Int, _ bytes: UnsafeRawPointer?) {
    if count == 0 { return }
    // It says no more, and may listen still. All that it asked for is served: it is not
    // read from before.
    if count == Int(UV_EOF.rawValue) { return end() }
    guard count > 0, let bytes else { return close() }
    let new = UnsafeRawBufferPointer(start: bytes, count: count)
    if input.isEmpty {
      input.append(contentsOf: new[serve(new)...])
    } else {
      input.append(contentsOf: new)
      serveInput()
    }
    if hasEnough { read(false) }
  }

  /// Serves the requests that `bytes` begin with, as far as it takes their replies; how
  /// many bytes they were.
  private func serve(_ bytes: UnsafeRawBufferPointer) -> Int {
    isServing = true
    defer { isServing = false }
    var served = 0
    while served < bytes.count, !isEnding, !isClosing, !hasEnough {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[served...])
      switch parser.parse(rest) {
      case .incomplete: return served
      case .fault(let what):
        reply { $0.error("ERR Protocol error: \(what)") }
        end()
      case .request(let length):
        if !parser.arguments.isEmpty {
          let request = Request(bytes: rest, words: parser.arguments)
          if loop.holdsPublishers, request.name == "PUBLISH" { hold() } else { perform(request) }
        }
        if !isHeld { served += length }
      }
    }
    return isEnding || isClosing ? bytes.count : served
  }

  private func serveInput() {
    // Taken out: to serve it may end the connection.
    var bytes: [UInt8] = []
    swap(&bytes, &input)
    bytes.removeFirst(bytes.withUnsafeBytes { serve($0) })
    // What a big request needed is not kept for the connection's life.
    if bytes.capacity > Self.mostSpare, bytes.count <= bytes.capacity / 4 {
      bytes = bytes.withUnsafeBytes { Array($0) }
    }
    swap(&bytes, &input)
  }

  private static var mostSpare: Int { 16 << 10 }

  /// Whether no more of it is served, for now. Who sends and does not read is not read
  /// from either, nor who publishes faster than others are told.
  private var hasEnough: Bool { isHeld || output.count > Self.mostOutput }

  private func hold() {
    isHeld = true
    loop.hold(self)
  }

  /// It may publish again.
  func isReleased() {
    isHeld = false
    goOn()
  }

  /// Serves what waited, and reads again.
  private func goOn() {
    // Sent while it is served: who serves goes on.
    guard !isServing, !isEnding, !isClosing, !hasEnough else { return }
    if !input.isEmpty { serveInput() }
    if !hasEnough { read(true) }
  }

  /// Closes the connection once all is sent. It is told of nothing more.
  func end() {
    isEnding = true
    read(false)
    loop.unsubscribeAll(self)
    if output.isEmpty { close() } else { loop.commit(self) }
  }

  private static var mostOutput: Int { 1 << 20 }
  // Of what it does not take, messages of others among it.
  fileprivate static var mostKept: Int { 64 << 20 }
}

// What it is told.
extension Connection {
  /// Adds a reply, which `write` writes, to what is sent.
  func reply(_ write: (inout Reply) -> Void) {
    guard !isClosing else { return }
    var reply = Reply()
    write(&reply)
    reply.bytes.withUnsafeBytes { output.append($0) }
    loop.didReply()
    willSend()
  }

  /// Adds a message that others get, too.
  func deliver(_ message: Chunk) {
    guard !isClosing else { return }
    output.append(message)
    loop.didReply()
    if output.count > Self.mostKept { return close() }
    willSend()
  }

  private func willSend() {
    if loop.coalesces { loop.commit(self) } else { send() }
  }

  /// Sends what there is, as far as the system takes it at once.
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

  /// Sends what there is when the client takes it.
  private func sendLater() {
    isWriting = true
    loop.didWrite()
    let write = Write(self, output.count)
    let result = output.withBuffers { buffers, count in
      withStream { uv_write(write.request, $0, buffers, count, connectionWrote) }
    }
    if result < 0 { write.failed() }
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
    if isEnding, output.isEmpty { close() } else { goOn() }
  }
}

/// A write under way. It keeps the connection, and so what is sent.
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

  func ended(_ result: Int32) { connection.didWrite(count, result) }

  /// It did not begin.
  func failed() {
    Unmanaged.passUnretained(self).release()
    connection.close()
  }
}

private func connectionWrote(_ request: UnsafeMutablePointer<uv_write_t>?, _ result: Int32) {
  guard let data = resp_request_data(request) else { return }
  Unmanaged<Write>.fromOpaque(data).takeRetainedValue().ended(result)
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
