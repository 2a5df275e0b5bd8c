import LoopTransactions

extension Connection {
  /// Stops reading until `resumeReading()`, so that the peer must wait. The
  /// peer's end is not noticed in the meantime.
  ///
  /// Calling it again does nothing. A callback in progress receives no more
  /// bytes after it has called this.
  public func pauseReading() { on("Connection.pauseReading").isPaused = true }

  /// Reads again after `pauseReading()`.
  public func resumeReading() { on("Connection.resumeReading").isPaused = false }

  /// Starts or stops reading, whichever the settings require.
  ///
  /// The peer's end is noticed only by reading. So a connection that waits for
  /// it reads ahead, even if nothing takes the bytes.
  func updateReading() {
    let isRead = callbacks?.read != nil
    if isRead, !inbound.isEmpty { io.loop.post { [self] in deliverKept() } }
    let isWanted = isRead || isPulled || callbacks?.end != nil || state.sending != .open
    let hasRoom = isRead ? inbound.isEmpty : inbound.count < Self.readAhead
    let reads = isWanted && hasRoom && state.takesReads && !isPaused
    guard reads != isReading else { return }
    isReading = reads
    guard reads else { return stream.stopReading() }
    let result = stream.startReading()
    if result < 0 { return fail(result, "Connection.resumeReading") }
    io.loop.handlesChanged()
  }

  // The number of unread bytes at which reading stops. Not measured.
  private static var readAhead: Int { 64 << 10 }

  /// Passes the bytes that arrived before `onRead` was set to it.
  private func deliverKept() {
    guard state.stage == .open, !isPaused, !inbound.isEmpty, let body = onRead else { return }
    let kept = inbound
    inbound = []
    kept.withUnsafeBytes { body($0.bytes) }
    updateReading()
  }

  func wakeReader() { reader.take()?.resume() }

  /// Waits for bytes, and returns all that have arrived since the last call.
  /// Returns nil after the peer has finished sending, or after `close()`.
  ///
  /// Call from a task on the loop: of an actor pinned to it, or one that prefers
  /// it as its executor. Reading starts with the first call. The connection
  /// reads ahead at most 64 KB and one buffer, so a slow task slows the peer.
  ///
  /// - Throws: `UVError` if the connection was lost. `CancellationError` if the
  ///   task is cancelled while it waits; no bytes are lost.
  /// - Precondition: `onRead` is nil, and no other task is waiting here.
  public func read(isolation actor: isolated (any Actor)? = #isolation) async throws -> [UInt8]? {
    core.checkAccess("Connection.read")
    require(onRead == nil, "Connection.read: must not be called while onRead is set; use only one")
    isPulled = true
    updateReading()
    while inbound.isEmpty {
      if let error { throw error }
      if !state.takesReads { return nil }
      require(reader?.isWaiting != true, "Connection.read: must not be called while a task waits")
      let suspension = Suspension(core)
      reader = suspension
      // If this throws, another task may already be the reader.
      try await suspension.wait(isolation: actor) {}
    }
    let bytes = inbound
    inbound = []
    updateReading()
    return bytes
  }

  /// Waits until `isWritable`. Returns at once if it is.
  ///
  /// Call from a task on the loop, as `read()`. Several tasks may wait.
  ///
  /// - Throws: `UVError` if the connection was lost. `CancellationError` if the
  ///   task is cancelled while it waits.
  public func drain(isolation actor: isolated (any Actor)? = #isolation) async throws {
    core.checkAccess("Connection.drain")
    if let error { throw error }
    if marks.isWritable || state.stage == .closed { return }
    let suspension = Suspension(core)
    drainers.append(suspension)
    try await suspension.wait(isolation: actor) { drainers.removeAll { $0 === suspension } }
  }

  /// The received bytes, as an asynchronous sequence that ends where `read()`
  /// returns nil.
  ///
  /// ```swift
  /// for try await bytes in connection.chunks {
  ///   connection.write(bytes)
  ///   try await connection.drain()
  /// }
  /// ```
  public var chunks: Chunks { Chunks(connection: self) }

  /// The received bytes of a connection. Belongs to the loop.
  public struct Chunks: AsyncSequence, AsyncIteratorProtocol {
    let connection: Connection

    /// Returns this value, which is its own iterator. Use one at a time.
    public func makeAsyncIterator() -> Chunks { self }

    /// Waits for bytes, as `Connection.read()`.
    public func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
      try await connection.read(isolation: actor)
    }
  }
}
