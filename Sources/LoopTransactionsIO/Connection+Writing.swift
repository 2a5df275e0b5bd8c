import LoopTransactions

extension Connection {
  /// Queues `bytes`, which are sent before the loop waits. Returns false, and
  /// drops them, if the connection is closed or `finishWriting()` was called.
  ///
  /// Connections send in the order of their first write of a tick, after the
  /// transactions (`flushOrder`) and within the tick's budget. Each sends
  /// everything with one system call. If the socket does not take everything,
  /// sending continues when it becomes writable.
  ///
  /// The queue has no limit. Stop producing while `isWritable` is false.
  ///
  /// - Complexity: O(n) in the number of bytes, which are copied.
  @discardableResult
  public func write(_ bytes: RawSpan) -> Bool { bytes.withUnsafeBytes { enqueue($0) } }

  /// Queues `bytes`, as `write(_:)` of a span does.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { enqueue($0) } }

  /// Queues the UTF-8 code units of `text`, as `write(_:)` of a span does.
  @discardableResult
  public func write(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { enqueue(UnsafeRawBufferPointer($0)) }
  }

  /// Queues `bytes`, as `write(_:)` of a span does. Retains them instead of
  /// copying, if they are more than a few hundred.
  @discardableResult
  public func write(_ bytes: SharedBytes) -> Bool { enqueue { $0.append(shared: bytes, &$1) } }

  private func enqueue(_ raw: UnsafeRawBufferPointer) -> Bool { enqueue { $0.append(raw, &$1) } }

  private func enqueue(_ append: (inout OutgoingQueue, inout ChunkPool) -> Void) -> Bool {
    core.checkAccess("Connection.write")
    guard state.takesWrites else { return false }
    append(&queue, &pool.pointee)
    marks.didQueue(queue.count)
    guard !isScheduled, inFlight == 0, !queue.isEmpty else { return true }
    isScheduled = true
    io.schedule(self)
    return true
  }

  /// Sends the queued bytes now, with one system call, instead of before the
  /// loop waits.
  ///
  /// Does nothing while an earlier send waits for the socket.
  public func flush() { on("Connection.flush").send() }

  /// The number of bytes that the system has not accepted.
  public var queuedBytes: Int { on("Connection.queuedBytes").queue.count - acceptedInFlight }

  /// The number of writes that the connection has handed to libuv: one for each
  /// tick or `flush()` with something to send, and one for each time that the
  /// rest must wait for the socket.
  ///
  /// Also readable in `onClose`.
  public var writeCount: Int { on("Connection.writeCount").writes }

  /// Whether less than `highWater` bytes are queued. Once false, it becomes
  /// true again when the queue has fallen to `lowWater`.
  public var isWritable: Bool { on("Connection.isWritable").marks.isWritable }

  /// The number of queued bytes from which on `isWritable` is false. 1 MB by
  /// default.
  public var highWater: Int { on("Connection.highWater").marks.high }

  /// The number of queued bytes down to which `isWritable` stays false. 256 KB
  /// by default.
  public var lowWater: Int { on("Connection.lowWater").marks.low }

  /// Sets the numbers of queued bytes at which `isWritable` changes.
  ///
  /// - Precondition: `low` is not negative and less than `high`.
  public func setWaterMarks(low: Int, high: Int) {
    core.checkAccess("Connection.setWaterMarks")
    require(
      low >= 0 && low < high,
      "Connection.setWaterMarks: low must be from 0 to less than high, got \(low) and \(high)"
    )
    if marks.set(low: low, high: high, queued: queue.count) { didDrain() }
  }
}

extension Connection {
  func sendScheduled() {
    isScheduled = false
    send()
  }

  /// Sends what the socket takes, and leaves the rest to libuv.
  private func send() {
    guard state.stage != .closed, inFlight == 0, !queue.isEmpty else { return }
    writes += 1
    let sent = queue.withBuffers { [stream] buffers, _ in stream.tryWrite(buffers) }
    if sent < 0, sent != ErrorCode.wouldBlock { return fail(Int32(sent), "Connection.write") }
    if sent > 0 { didSend(sent) }
    if queue.isEmpty { didEmpty() } else { sendLater() }
  }

  private func sendLater() {
    writes += 1
    let (result, length) = queue.withBuffers(limit: Self.largestWrite) { [stream] buffers, length in
      (stream.write(buffers), length)
    }
    if result < 0 { return fail(result, "Connection.write") }
    inFlight = length
    watchProgress()
    notifyIfDrained()
  }

  // Limits a write that waits for the socket, because libuv reports only its
  // end. Not measured.
  private static var largestWrite: Int { 256 << 10 }

  func didWrite(_ status: Int32) {
    guard state.stage != .closed else { return }
    if status < 0 { return fail(status, "Connection.write") }
    didSend(inFlight)
    inFlight = 0
    if queue.isEmpty { didEmpty() } else { send() }
  }

  private func didSend(_ length: Int) {
    queue.didSend(length, &pool.pointee)
    sent += length
    noteActivity()
  }

  private func didEmpty() {
    progressWatch.stop()
    notifyIfDrained()
    settle()
  }

  private func notifyIfDrained() { if marks.didSend(queue.count) { didDrain() } }

  /// The bytes of the write in flight that the system has accepted.
  var acceptedInFlight: Int { inFlight == 0 ? 0 : inFlight - stream.unsentBytes }
}
