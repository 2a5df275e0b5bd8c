import CUV
import LoopTransactions

// The functions that libuv calls. They are at file scope because a closure in
// main-actor code would trap on another thread. A stream without an owner
// belongs to a loop that was released, or inherited by a forked child.

func streamDidRead(
  _ stream: UnsafeMutablePointer<uv_stream_t>?,
  _ count: Int,
  _ buffer: UnsafePointer<uv_buf_t>?
) {
  lt_stream_did_read(stream, count, buffer)
  // 0: the system had nothing to read.
  if count == 0 { return }
  if stream?.pointee.data == nil { return _ = uv_read_stop(stream) }
  if count < 0, buffer?.pointee.base == nil {
    // The stream has had its reads until the next poll.
    if count == Int(UV_ENOBUFS.rawValue) { return }
    // An end that libuv has not read, but concludes from a hang-up and a read that
    // did not fill the buffer. A passed descriptor and an urgent byte end a read
    // early, so bytes may follow. Does not fail, because libuv was reading.
    if count == Int(UV_EOF.rawValue) {
      return _ = uv_read_start(stream, lt_stream_provide, streamDidRead)
    }
  }
  callBack(stream, "Connection: read") { (connection: Connection) in
    if count > 0 {
      connection.didRead(UnsafeRawBufferPointer(start: buffer?.pointee.base, count: count))
    } else if count == Int(UV_EOF.rawValue) {
      connection.peerDidEnd()
    } else {
      connection.fail(Int32(count), "Connection.onRead")
    }
  }
}

func streamDidWrite(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
  callBack(request?.pointee.handle, "Connection: written") { (connection: Connection) in
    connection.didWrite(status)
  }
}

func streamDidShutDown(_ request: UnsafeMutablePointer<uv_shutdown_t>?, _ status: Int32) {
  callBack(request?.pointee.handle, "Connection: shut down") { (connection: Connection) in
    connection.didShutDown(status)
  }
}

func streamDidConnect(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: Int32) {
  callBack(request?.pointee.handle, "Connection: connected") { (connector: Connector) in
    connector.didConnect(status)
  }
}

func streamDidClose(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  callBack(handle, "Connection: closed") { (connection: Connection) in connection.deliverClose() }
  UnsafeMutableRawPointer(handle)?.deallocate()
}

/// Calls `body` with the owner of a handle, if any, as an event called `name`.
/// The loop retains itself if its host has called, because `body` may close and
/// release an adopted loop.
// Not the core's function for the owner: a generic function of another module is
// not specialised, and looks up metadata in each call.
@inline(__always)
private func callBack<Owner: LoopIOMember>(
  _ handle: UnsafeMutableRawPointer?,
  _ name: StaticString,
  _ body: (Owner) -> Void
) {
  guard let data = handle?.assumingMemoryBound(to: uv_handle_t.self).pointee.data else { return }
  let owner = Unmanaged<Owner>.fromOpaque(data).takeUnretainedValue()
  owner.io.unmanagedLoop._withUnsafeGuaranteedRef { $0.calledBack(for: name) { body(owner) } }
}
