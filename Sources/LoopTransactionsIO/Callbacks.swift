import LoopTransactions

// The functions that libuv calls. They are at file scope because a closure in
// main-actor code would trap on another thread. A handle without an owner
// belongs to a loop that was released, or inherited by a forked child.

func streamDidRead(_ stream: StreamPointer?, _ count: Int, _ buffer: ReadBufferPointer?) {
  // 0: the system had nothing to read.
  if count == 0 { return }
  guard let connection = owner(of: stream, as: Connection.self) else { return stopReading(stream) }
  callBack(connection.io.unmanagedLoop) {
    if count > 0 {
      connection.didRead(received(buffer, count))
    } else if count == ErrorCode.endOfFile {
      connection.peerDidEnd()
    } else {
      connection.fail(Int32(count), "Connection.onRead")
    }
  }
}

func streamDidWrite(_ request: WritePointer?, _ status: Int32) {
  guard let connection = owner(of: stream(of: request), as: Connection.self) else { return }
  callBack(connection.io.unmanagedLoop) { connection.didWrite(status) }
}

func streamDidShutDown(_ request: ShutdownPointer?, _ status: Int32) {
  guard let connection = owner(of: stream(of: request), as: Connection.self) else { return }
  callBack(connection.io.unmanagedLoop) { connection.didShutDown(status) }
}

func streamDidClose(_ handle: HandlePointer?) {
  if let connection = owner(of: handle, as: Connection.self) {
    callBack(connection.io.unmanagedLoop) { connection.deliverClose() }
  }
  freeHandle(handle)
}

func streamDidConnect(_ request: ConnectPointer?, _ status: Int32) {
  guard let connector = owner(of: stream(of: request), as: Connector.self) else { return }
  callBack(connector.io.unmanagedLoop) { connector.didConnect(status) }
}

func listenerIsReadable(_ poll: PollPointer?, _: Int32, _: Int32) {
  guard let listener = owner(of: poll, as: Listener.self) else { return stopPolling(poll) }
  callBack(listener.io.unmanagedLoop) { listener.acceptBatch() }
}

/// Calls `body` on behalf of libuv. The loop retains itself if its host has
/// called, because `body` may close and release an adopted loop.
@inline(__always)
private func callBack(_ loop: Unmanaged<EventLoop>, _ body: () -> Void) {
  loop._withUnsafeGuaranteedRef { $0.calledBack(body) }
}
