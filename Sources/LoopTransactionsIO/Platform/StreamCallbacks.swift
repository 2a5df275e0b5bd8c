import CUV
import LoopTransactions

// Types of libuv's callbacks, so that the other files define callbacks without
// importing libuv.

typealias HandlePointer = UnsafeMutablePointer<uv_handle_t>
typealias StreamPointer = UnsafeMutablePointer<uv_stream_t>
typealias PollPointer = UnsafeMutablePointer<uv_poll_t>
typealias ConnectPointer = UnsafeMutablePointer<uv_connect_t>
typealias WritePointer = UnsafeMutablePointer<uv_write_t>
typealias ShutdownPointer = UnsafeMutablePointer<uv_shutdown_t>
typealias ReadBufferPointer = UnsafePointer<uv_buf_t>

typealias ReadCallback = @convention(c) (StreamPointer?, Int, ReadBufferPointer?) -> Void
typealias ConnectCallback = @convention(c) (ConnectPointer?, _ status: Int32) -> Void
typealias WriteCallback = @convention(c) (WritePointer?, _ status: Int32) -> Void
typealias ShutdownCallback = @convention(c) (ShutdownPointer?, _ status: Int32) -> Void
typealias CloseCallback = @convention(c) (HandlePointer?) -> Void
typealias ReadableCallback = @convention(c) (PollPointer?, Int32, _ events: Int32) -> Void

/// Returns the object that `setOwner` set for a handle, if any.
// Not the core's function of the same name: a generic function of another module
// is not specialised, and looks up metadata in each call.
@inline(__always)
func owner<Owner: AnyObject, Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  as _: Owner.Type
) -> Owner? {
  guard let handle else { return nil }
  let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  guard let data = base.pointee.data else { return nil }
  return Unmanaged<Owner>.fromOpaque(data).takeUnretainedValue()
}

// The streams of requests.

func stream(of request: ConnectPointer?) -> StreamPointer? { request?.pointee.handle }
func stream(of request: WritePointer?) -> StreamPointer? { request?.pointee.handle }
func stream(of request: ShutdownPointer?) -> StreamPointer? { request?.pointee.handle }

/// Returns the first `count` bytes of a read callback's buffer.
@inline(__always)
func received(_ buffer: ReadBufferPointer?, _ count: Int) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(start: buffer?.pointee.base, count: count)
}

/// Stops a stream that has no owner to handle its events.
func stopReading(_ stream: StreamPointer?) { if let stream { uv_read_stop(stream) } }

/// Stops a poll handle that has no owner to handle its events.
func stopPolling(_ poll: PollPointer?) { if let poll { uv_poll_stop(poll) } }

/// Frees the memory of a closed handle.
func freeHandle(_ handle: HandlePointer?) { UnsafeMutableRawPointer(handle)?.deallocate() }

/// The error codes that this library handles.
enum ErrorCode {
  static let wouldBlock = UV_EAGAIN.rawValue
  static let cancelled = UV_ECANCELED.rawValue
  static let timedOut = UV_ETIMEDOUT.rawValue
  static let invalid = UV_EINVAL.rawValue
  static let endOfFile = Int(UV_EOF.rawValue)

  /// Whether a failed `accept` concerns only one connection, so that the next
  /// attempt may succeed.
  static func isSkippable(_ code: Int32) -> Bool {
    switch code {
    case UV_ECONNABORTED.rawValue, UV_EPROTO.rawValue, UV_EINTR.rawValue: true
    default: false
    }
  }
}

/// Makes SIGPIPE not end the process, unless the process handles it.
func ignoreBrokenPipes() { lt_ignore_broken_pipes() }
