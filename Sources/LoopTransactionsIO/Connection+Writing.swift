import LoopTransactions

extension Connection {
  /// Queues `bytes`, which are sent before the loop waits. Returns false, and
  /// drops them, if the connection is closed or `finishWriting()` was called.
  ///
  /// Connections send in the order of their first write of a tick, after the
  /// transactions (`flushOrder`) and within the tick's budget. Each sends
  /// everything with one system call, or one for each 1,024 pieces: written
  /// bytes are copied into pieces of 8 KB, or into one piece if they are more
  /// than 64 KB, and `SharedBytes` of more than 512 bytes are one piece each. If
  /// the socket does not take everything, sending continues when it becomes
  /// writable.
  ///
  /// A write that makes the queue reach `highWater` sends the queue at once, as
  /// `flush()` does, at most 16 times in a tick. If that shows that the
  /// connection was lost, `write` returns false and `onClose` follows.
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
    schedule()
    if marks.isWritable, queue.count >= marks.high { reachHighMark() }
    return state.takesWrites
  }

  private func schedule() {
    guard !isScheduled, inFlight == 0, !queue.isEmpty else { return }
    isScheduled = true
    io.schedule(self)
  }

  /// Sends the queue before the tick's end, so that only bytes that the system
  /// does not take make the connection unwritable.
  private func reachHighMark() {
    if inFlight == 0, earlySends < Self.maxEarlySends {
      earlySends += 1
      send()
    }
    marks.didQueue(queue.count)
  }

  // Without a limit, a producer that writes while the connection is writable would
  // not return to the loop as long as the peer reads as fast. Not measured.
  private static var maxEarlySends: Int { 16 }

  /// Sends the queued bytes now instead of before the loop waits, with the same
  /// number of system calls.
  ///
  /// If the socket does not take everything, the rest is sent when it becomes
  /// writable; `flush()` does not wait for that. Does nothing while an earlier
  /// send waits for the socket. A connection that proves to be lost closes.
  public func flush() { on("Connection.flush").send() }

  /// The number of bytes that the system has not accepted.
  public var queuedBytes: Int { on("Connection.queuedBytes").queue.count - acceptedInFlight }

  /// The number of writes that the connection has handed to libuv: one for each
  /// tick, `flush()` or reached `highWater` with something to send, one more for
  /// each further 1,024 pieces, and one for each time that the rest must wait
  /// for the socket.
  ///
  /// Also readable in `onClose`.
  public var writeCount: Int { on("Connection.writeCount").writes }

  /// Whether the system takes the bytes, or less than `highWater` are queued.
  /// Once false, it becomes true again when the queue has fallen to `lowWater`.
  ///
  /// Counts bytes that the system has not taken, including those that this tick
  /// has written. A write that reaches `highWater` first sends the queue: the
  /// connection stays writable if less than `highWater` is then left. So a peer
  /// that receives promptly does not make it false, up to the limit of rule E7
  /// of docs/rules.md, which returns a producer that writes while the connection
  /// is writable to the loop.
  public var isWritable: Bool { on("Connection.isWritable").marks.isWritable }

  /// The number of queued bytes at which a write sends the queue, and from
  /// which on `isWritable` is false if the system does not take enough. 1 MB by
  /// default.
  public var highWater: Int { on("Connection.highWater").marks.high }

  /// The number of queued bytes down to which `isWritable` stays false. 256 KB
  /// by default.
  public var lowWater: Int { on("Connection.lowWater").marks.low }

  /// Sets the numbers of queued bytes at which `isWritable` changes.
  ///
  /// With a small `high`, a tick makes more writes. Sends nothing itself.
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
    earlySends = 0
    send()
  }

  /// Sends the bytes that the socket takes, and leaves the rest to libuv.
  private func send() {
    guard state.stage != .closed, inFlight == 0, !queue.isEmpty else { return }
    while !queue.isEmpty {
      writes += 1
      let (sent, length) = queue.withBuffers { [stream] buffers, length in
        (stream.tryWrite(buffers), length)
      }
      if sent < 0, sent != ErrorCode.wouldBlock { return fail(Int32(sent), "Connection.write") }
      if sent > 0 { didSend(sent) }
      if sent < length { return sendLater() }
    }
    didEmpty()
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
