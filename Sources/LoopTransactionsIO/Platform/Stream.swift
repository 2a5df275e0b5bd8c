package import CUV
import LoopTransactions

/// A `uv_tcp_t` or `uv_pipe_t` with its requests, in memory of its own.
///
/// libuv uses the memory until the close callback has run, which frees it. Loop
/// thread only.
struct Stream {
  private let memory: UnsafeMutablePointer<lt_stream>

  /// Initialises a stream on the loop of `io`.
  init(unix isUnix: Bool, _ io: LoopIO, _ operation: String) throws(UVError) {
    try check(lt_stream_fits() == 0 ? UV_ENOTSUP.rawValue : 0, operation)
    memory = .allocate(capacity: 1)
    let result = isUnix ? uv_pipe_init(io.uv, raw(), 0) : uv_tcp_init(io.uv, raw())
    if result < 0 { memory.deallocate() }
    try check(result, operation)
    memory.pointee.buffer = StreamBuffer(UnsafeRawBufferPointer(io.readBuffer))
    memory.pointee.reads = 0
    memory.pointee.was_blocking = 0
    setOwner(nil)
    // Writes are coalesced, so Nagle's algorithm would only delay them. libuv
    // sets the option when the socket exists.
    if !isUnix { uv_tcp_nodelay(raw(), 1) }
  }

  /// Takes ownership of a connected socket, also if this throws.
  init(adopting adopted: Int32, _ io: LoopIO, _ operation: String) throws(UVError) {
    var socket = adopted
    do throws(UVError) {
      let isUnix = try check(lt_socket_is_unix(socket), operation) == 1
      socket = try check(lt_socket_above_streams(socket), operation)
      try self.init(unix: isUnix, io, operation)
      memory.pointee.was_blocking = lt_socket_is_blocking(socket)
      let result = isUnix ? uv_pipe_open(raw(), socket) : uv_tcp_open(raw(), socket)
      if result < 0 { close() }
      try check(result, operation)
    } catch {
      Socket.close(socket)
      throw error
    }
  }

  /// The memory as one of libuv's types of handles.
  private func raw<Raw>() -> UnsafeMutablePointer<Raw> {
    address.assumingMemoryBound(to: Raw.self)
  }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(memory) }

  /// Sets the object that callbacks get as their owner. It is not retained.
  func setOwner(_ owner: AnyObject?) {
    uv_handle_set_data(raw(), owner.map { Unmanaged.passUnretained($0).toOpaque() })
  }

  /// The socket, or nil if there is none yet or no more.
  var descriptor: Int32? {
    var descriptor: Int32 = -1
    return uv_fileno(raw(), &descriptor) == 0 ? descriptor : nil
  }

  /// Connects to an IP address. Calls the owner's `didConnect` unless it throws.
  func connect(to address: SocketAddress, _ operation: String) throws(UVError) {
    // libuv opens the socket, and does not close it if it is a standard stream.
    Socket.fillStandardStreams()
    let request = memory.pointer(to: \.connect)
    let result = withUnsafePointer(to: address.raw) {
      uv_tcp_connect(request, raw(), lt_address_start($0), streamDidConnect)
    }
    try check(result, operation)
  }

  /// Reads until `stopReading()`, at most 512 KB between two polls.
  func startReading() -> Int32 {
    memory.pointee.reads = 0
    return uv_read_start(raw(), lt_stream_provide, streamDidRead)
  }

  func stopReading() { uv_read_stop(raw()) }

  /// Writes as much as the socket takes. Returns the number of bytes, or a
  /// negative error.
  func tryWrite(_ buffers: UnsafeBufferPointer<StreamBuffer>) -> Int {
    Int(uv_try_write(raw(), buffers.baseAddress, UInt32(buffers.count)))
  }

  /// Writes `buffers`, whose bytes must stay until the owner's `didWrite` is
  /// called or the stream is closed. One write at a time.
  func write(_ buffers: UnsafeBufferPointer<StreamBuffer>) -> Int32 {
    let request = memory.pointer(to: \.write)
    return uv_write(request, raw(), buffers.baseAddress, UInt32(buffers.count), streamDidWrite)
  }

  /// The bytes of the current `write(_:)` that the socket has not taken.
  var unsentBytes: Int { Int(uv_stream_get_write_queue_size(raw())) }

  /// Ends the sending direction. Calls the owner's `didShutDown` unless it
  /// returns an error.
  func shutDown() -> Int32 {
    uv_shutdown(memory.pointer(to: \.shutdown), raw(), streamDidShutDown)
  }

  /// Closes the stream and its socket. Requests end with an error first.
  func close() {
    guard uv_is_closing(raw()) == 0 else { return }
    // libuv neither reads nor writes any more.
    if memory.pointee.was_blocking != 0, let descriptor { lt_socket_restore_mode(descriptor) }
    uv_close(raw(), streamDidClose)
  }

  /// Ends the connection of a loop that does not run any more. Call from any
  /// thread.
  func endWithoutLoop() {
    setOwner(nil)
    if let descriptor { lt_socket_end(descriptor) }
  }

  /// Detaches from the parent's connection, in a forked child.
  func abandonInChild() {
    setOwner(nil)
    uv_unref(raw())
    if let descriptor { lt_socket_abandon(descriptor) }
  }
}

/// Bytes for a write, as libuv describes them.
package typealias StreamBuffer = uv_buf_t

extension StreamBuffer {
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: len) }

  package init(_ bytes: UnsafeRawBufferPointer) {
    let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    // Not `uv_buf_init`, whose length has 32 bits.
    self.init(base: start?.assumingMemoryBound(to: CChar.self), len: bytes.count)
  }
}

extension LoopIO {
  var uv: UnsafeMutablePointer<uv_loop_t> { loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self) }
}
