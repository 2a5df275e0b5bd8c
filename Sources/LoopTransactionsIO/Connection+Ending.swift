import LoopTransactions

extension Connection {
  /// Whether the connection has been neither closed nor lost. False from
  /// `close()` on.
  public var isOpen: Bool { on("Connection.isOpen").state.stage == .open }

  /// Half-closes: tells the peer that no more bytes follow, after the queued
  /// bytes have been sent.
  ///
  /// The connection still reads. It closes when the peer has finished too, even
  /// if nothing reads. A peer that does not finish, or sends more than 64 KB that
  /// nothing reads, delays this without limit, unless `idleTimeout` is set. Set
  /// `onRead` before. Writes are refused from now on. Calling it again does
  /// nothing.
  public func finishWriting() {
    on("Connection.finishWriting").state.finishWriting()
    updateReading()
    settle()
  }

  /// Stops reading, sends the queued bytes, and closes the connection.
  ///
  /// Writes are refused from now on. A peer that does not receive delays the
  /// end without limit, unless `writeTimeout` is set. Calling it again does
  /// nothing.
  public func close() {
    on("Connection.close").state.startClosing()
    updateReading()
    wakeReader()
    settle()
  }

  /// Closes the connection now, and drops the queued bytes.
  ///
  /// The socket is closed when this returns. `onClose` is called later in the
  /// tick. Calling it again does nothing.
  public func closeImmediately() { on("Connection.closeImmediately").end(nil) }

  /// Closes after a system call has failed.
  func fail(_ code: Int32, _ operation: String) { end(UVError(code: code, operation: operation)) }

  func didShutDown(_ status: Int32) {
    guard state.stage != .closed else { return }
    if status < 0 { return fail(status, "Connection.finishWriting") }
    state.didShutDown()
    settle()
  }

  /// Takes the next step of the connection's life.
  func settle() {
    switch state.next(queued: queue.count) {
    case .none: break
    case .shutDown:
      let result = stream.shutDown()
      if result < 0 { return fail(result, "Connection.finishWriting") }
      io.loop.handlesChanged()
    case .close: end(nil)
    }
  }

  func end(_ error: UVError?) {
    guard state.stage != .closed else { return }
    state.close()
    self.error = error
    isReading = false
    inFlight = 0
    queue.removeAll(&pool.pointee)
    idleWatch.stop()
    progressWatch.stop()
    resumeAll(error)
    stream.close()
    // libuv has closed the descriptor.
    DescriptorWaiters.didFree()
    io.loop.handlesChanged()
  }

  /// Resumes the waiting tasks of a closed connection.
  private func resumeAll(_ error: UVError?) {
    let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
    reader.take()?.resume(result)
    resumeDrainers(result)
  }

  /// Makes the last callback, and releases all callbacks.
  func deliverClose() {
    // An adopted loop may be closed before libuv has closed the stream.
    stream.setOwner(nil)
    io.remove(self)
    callbacks.take()?.close?(error)
  }
}

extension Connection: LoopIOMember {
  var handle: UnsafeMutableRawPointer? { stream.address }

  func endWithLoop() {
    // Tries once; nothing waits for the socket any more.
    sendScheduled()
    end(UVError(code: ErrorCode.cancelled, operation: "EventLoop.close"))
    deliverClose()
  }

  func endWithoutLoop() {
    stream.endWithoutLoop()
    state.close()
    // The loop no longer exists, so `writeTimeout` must not add a timer.
    inFlight = 0
    error = UVError(code: ErrorCode.cancelled, operation: "EventLoop released without close()")
    resumeAll(error)
    // Released outside of the access.
    _ = callbacks.take()
  }

  func abandonInChild() { stream.abandonInChild() }
}
