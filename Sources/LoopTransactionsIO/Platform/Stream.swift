import CUV
import LoopTransactions

/// A `uv_tcp_t` or `uv_pipe_t` with its requests, in memory of its own.
///
/// libuv uses the memory until the close callback has run, which frees it. Loop
/// thread only.
struct Stream {
  private let memory: UnsafeMutablePointer<lt_stream>

  /// Initialises a stream on `loop` that reads into `buffer`.
  init(
    unix isUnix: Bool,
    on loop: UnsafeMutableRawPointer,
    readingInto buffer: UnsafeMutableRawBufferPointer,
    _ operation: @autoclosure () -> String
  ) throws(UVError) {
    memory = .allocate(capacity: 1)
    let uv = loop.assumingMemoryBound(to: uv_loop_t.self)
    let result =
      isUnix ? uv_pipe_init(uv, Self.cast(memory), 0) : uv_tcp_init(uv, Self.cast(memory))
    guard result == 0 else {
      memory.deallocate()
      throw UVError(code: result, operation: operation())
    }
    memory.pointee.buffer = buffer.baseAddress
    memory.pointee.buffer_size = buffer.count
    handle.pointee.data = nil
    // Writes are coalesced, so Nagle's algorithm would only delay them. libuv
    // sets the option when the socket exists.
    if !isUnix { uv_tcp_nodelay(Self.cast(memory), 1) }
  }

  private static func cast<Raw>(
    _ memory: UnsafeMutablePointer<lt_stream>
  ) -> UnsafeMutablePointer<Raw> {
    UnsafeMutableRawPointer(memory).assumingMemoryBound(to: Raw.self)
  }

  private var handle: UnsafeMutablePointer<uv_handle_t> { Self.cast(memory) }
  private var stream: UnsafeMutablePointer<uv_stream_t> { Self.cast(memory) }

  private func request<Raw>(_ offset: Int?) -> UnsafeMutablePointer<Raw> {
    (UnsafeMutableRawPointer(memory) + (offset ?? 0)).assumingMemoryBound(to: Raw.self)
  }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(memory) }

  /// Sets the object that callbacks get as their owner. It is not retained.
  func setOwner(_ owner: AnyObject?) {
    handle.pointee.data = owner.map { Unmanaged.passUnretained($0).toOpaque() }
  }

  /// The socket, or nil if there is none yet.
  var descriptor: Int32? {
    var descriptor: Int32 = -1
    return uv_fileno(handle, &descriptor) == 0 ? descriptor : nil
  }

  /// Takes ownership of a connected socket, unless it returns an error.
  func open(_ descriptor: Int32) -> Int32 {
    handle.pointee.type == UV_TCP
      ? uv_tcp_open(Self.cast(memory), descriptor) : uv_pipe_open(Self.cast(memory), descriptor)
  }

  /// Connects to `address`. Calls `didConnect` unless it returns an error.
  func connect(to address: SocketAddress, _ didConnect: ConnectCallback) -> Int32 {
    let connect: UnsafeMutablePointer<uv_connect_t> = request(
      MemoryLayout<lt_stream>.offset(of: \.connect)
    )
    if case .unix(let path) = address.endpoint {
      uv_pipe_connect(connect, Self.cast(memory), path, didConnect)
      return 0
    }
    return address.withAddress { uv_tcp_connect(connect, Self.cast(memory), $0, didConnect) }
  }

  /// Reads until `stopReading()`.
  func startReading(_ didRead: ReadCallback) -> Int32 {
    uv_read_start(stream, provideBuffer, didRead)
  }

  func stopReading() { uv_read_stop(stream) }

  /// Writes as much as the socket takes. Returns the number of bytes, or a
  /// negative error.
  func tryWrite(_ buffers: UnsafeBufferPointer<StreamBuffer>) -> Int {
    Int(Self.withRaw(buffers) { uv_try_write(stream, $0, UInt32(buffers.count)) })
  }

  /// Writes `buffers`, whose bytes must stay until `didWrite` is called or the
  /// stream is closed. One write at a time.
  func write(_ buffers: UnsafeBufferPointer<StreamBuffer>, _ didWrite: WriteCallback) -> Int32 {
    let write: UnsafeMutablePointer<uv_write_t> = request(
      MemoryLayout<lt_stream>.offset(of: \.write)
    )
    return Self.withRaw(buffers) { uv_write(write, stream, $0, UInt32(buffers.count), didWrite) }
  }

  /// The bytes of the current `write(_:_:)` that the socket has not taken.
  var unsentBytes: Int { Int(uv_stream_get_write_queue_size(stream)) }

  /// Ends the sending direction. Calls `didShutDown` unless it returns an error.
  func shutDown(_ didShutDown: ShutdownCallback) -> Int32 {
    let shutdown: UnsafeMutablePointer<uv_shutdown_t> = request(
      MemoryLayout<lt_stream>.offset(of: \.shutdown)
    )
    return uv_shutdown(shutdown, stream, didShutDown)
  }

  /// Closes the stream and its socket. Requests end with an error first.
  /// `didClose` must call `freeHandle(_:)`.
  func close(_ didClose: CloseCallback) {
    if uv_is_closing(handle) == 0 { uv_close(handle, didClose) }
  }

  /// Ends the connection of a loop that does not run any more. The stream has
  /// no owner. Call from any thread.
  func endWithoutLoop() {
    if let descriptor { lt_socket_end(descriptor) }
  }

  /// Detaches from the parent's connection, in a forked child.
  func abandonInChild() {
    uv_unref(handle)
    if let descriptor { lt_socket_abandon(descriptor) }
  }

  private static func withRaw<Result>(
    _ buffers: UnsafeBufferPointer<StreamBuffer>,
    _ body: (UnsafePointer<uv_buf_t>?) -> Result
  ) -> Result {
    buffers.withMemoryRebound(to: uv_buf_t.self) { body($0.baseAddress) }
  }
}

/// Bytes for a write, as libuv describes them.
package struct StreamBuffer {
  private let raw: uv_buf_t

  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: raw.base, count: raw.len)
  }

  init(_ bytes: UnsafeRawBufferPointer) {
    let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    raw = uv_buf_init(start?.assumingMemoryBound(to: CChar.self), UInt32(bytes.count))
  }
}

private func provideBuffer(
  _ handle: HandlePointer?,
  _: Int,
  _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
  guard let handle, let buffer else { return }
  let stream = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: lt_stream.self)
  // A stream without an owner gets no memory, so libuv reads nothing.
  let size = handle.pointee.data == nil ? 0 : stream.pointee.buffer_size
  let start = stream.pointee.buffer?.assumingMemoryBound(to: CChar.self)
  buffer.pointee = uv_buf_init(size == 0 ? nil : start, UInt32(size))
}
