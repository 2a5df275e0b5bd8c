import CUV
import LoopTransactions

/// A listening socket and the `uv_poll_t` that watches it. Loop thread only.
///
/// `uv_listen` is not used. Without a free descriptor, it closes a spare
/// descriptor, accepts a connection, and repeats this without returning to the
/// loop. If another thread takes the spare descriptor, `accept` fails again and
/// libuv 1.44 never returns.
struct ListeningSocket {
  let descriptor: Int32
  private let poll: PollPointer = .allocate(capacity: 1)

  /// Watches `descriptor`, and closes it if this throws.
  init(
    _ descriptor: Int32,
    on loop: UnsafeMutableRawPointer,
    _ operation: @autoclosure () -> String
  ) throws(UVError) {
    self.descriptor = descriptor
    // Also makes the socket non-blocking.
    let result = uv_poll_init(loop.assumingMemoryBound(to: uv_loop_t.self), poll, descriptor)
    guard result == 0 else {
      poll.deallocate()
      lt_descriptor_close(descriptor)
      throw UVError(code: result, operation: operation())
    }
    Self.openSpareDescriptor(loop.assumingMemoryBound(to: uv_loop_t.self))
  }

  /// Makes libuv open the loop's spare descriptor, which it otherwise opens with
  /// the first stream.
  ///
  /// So a loop has as many descriptors before its first connection as after its
  /// last.
  private static func openSpareDescriptor(_ loop: UnsafeMutablePointer<uv_loop_t>) {
    let stream = UnsafeMutablePointer<uv_tcp_t>.allocate(capacity: 1)
    guard uv_tcp_init(loop, stream) == 0 else { return stream.deallocate() }
    stream.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, freeHandle) }
  }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(poll) }

  /// Sets the object that the callback gets as its owner. It is not retained.
  func setOwner(_ owner: AnyObject?) {
    poll.pointee.data = owner.map { Unmanaged.passUnretained($0).toOpaque() }
  }

  func start(_ isReadable: ReadableCallback) {
    let result = uv_poll_start(poll, Int32(UV_READABLE.rawValue), isReadable)
    require(result == 0, "Listener: uv_poll_start failed: \(result)")
  }

  func stop() { uv_poll_stop(poll) }

  func close() {
    poll.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, freeHandle) }
    lt_descriptor_close(descriptor)
  }

  func abandonInChild() {
    poll.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
    lt_socket_abandon(descriptor)
  }

  /// Accepts a connection from `descriptor`. Returns its socket, or a negative
  /// error.
  static func accept(_ descriptor: Int32) -> Int32 { lt_socket_accept(descriptor) }

  /// Whether the socket at `descriptor` is a Unix socket, or a negative error.
  static func isUnix(_ descriptor: Int32) -> Int32 { lt_socket_is_unix(descriptor) }

  /// Closes a socket that no libuv handle owns.
  static func close(_ descriptor: Int32) { lt_descriptor_close(descriptor) }

  /// Removes the file of a Unix socket.
  static func removeFile(_ path: String) { lt_remove_file(path) }
}
