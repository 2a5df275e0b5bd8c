public import LoopTransactions

/// A stream connection that belongs to a loop.
///
/// Made by `EventLoop.listen`, `EventLoop.connect` and
/// `EventLoop.connection(adopting:)`. Call everything on the loop; calls from
/// another thread trap. The loop keeps a connection until it is closed. The
/// callbacks are released after `onClose`, so they may capture the connection.
///
/// Everything that is written in a tick is sent by one system call before the
/// loop waits, after the transactions. A connection keeps the loop running
/// while it reads or has bytes to send.
///
/// ```swift
/// try loop.listen(on: .tcp(host: "127.0.0.1", port: 7000)) { connection in
///   connection.onRead = { bytes in connection.write(bytes) }
/// }
/// ```
///
/// Corresponds to `Channel` in SwiftNIO, `net.Socket` in Node.js, and
/// `uv_stream_t` in libuv.
public final class Connection {
  // All properties are accessed on the loop's thread only, except the constant
  // ones.
  let io: LoopIO
  let core: PortCore
  let stream: Stream
  private var number: UInt64 = 0

  var state = ConnectionState()
  var queue = OutgoingQueue()
  var marks = WaterMarks(low: 256 << 10, high: 1 << 20)
  // Whether the connection is in the list of the loop's connections to send.
  var isScheduled = false
  // The bytes of the current write that waits for the socket, or 0.
  var inFlight = 0
  // The number of writes handed to libuv.
  var writes = 0
  var drainers: [Suspension] = []

  var isReading = false
  var isPaused = false
  // Whether `read()` has been called. Bytes are then kept for the next call.
  var isPulled = false
  var inbound: [UInt8] = []
  var reader: Suspension?

  var timeouts = ConnectionTimeouts()
  private(set) var error: UVError?
  private var isDelivered = false

  private var readBody: ((RawSpan) -> Void)?
  private var endBody: (() -> Void)?
  private var drainBody: (() -> Void)?
  private var closeBody: ((UVError?) -> Void)?

  /// The order at which connections send, among the observers of
  /// `beforeWaiting` and `exit`: just after the transactions.
  public static var flushOrder: Int { 0x1000000 }

  /// Takes over a connected stream.
  init(_ stream: Stream, _ io: LoopIO) {
    self.stream = stream
    self.io = io
    core = io.core
    number = io.add(self)
    stream.setOwner(self)
  }

  /// Takes ownership of a connected socket, also if this throws.
  convenience init(
    _ socket: Int32,
    _ io: LoopIO,
    _ operation: @autoclosure () -> String
  ) throws(UVError) {
    let isUnix = ListeningSocket.isUnix(socket)
    var result = min(isUnix, 0)
    if result == 0 {
      let stream: Stream
      do {
        stream = try Stream(
          unix: isUnix == 1,
          on: io.libuvLoop,
          readingInto: io.readBuffer,
          operation()
        )
      } catch {
        ListeningSocket.close(socket)
        throw error
      }
      result = stream.open(socket)
      if result == 0 {
        self.init(stream, io)
        return
      }
      stream.close(streamDidClose)
    }
    ListeningSocket.close(socket)
    throw UVError(code: result, operation: operation())
  }

  func check(_ operation: StaticString) { core.checkThread(operation) }
}

// Callbacks.
extension Connection {
  /// Called with received bytes, which are valid until it returns.
  ///
  /// Reading starts when this is set, and stops while it is nil. The bytes are
  /// not copied: all connections of a loop read into the same memory. Copy them
  /// with `[UInt8](copying:)` or `String(copying:)`.
  ///
  /// - Precondition: `read()` has not been called.
  public var onRead: ((RawSpan) -> Void)? {
    get {
      check("Connection.onRead")
      return readBody
    }
    set {
      check("Connection.onRead")
      require(
        newValue == nil || !isPulled,
        "Connection.onRead: must not be set after read() was called; use one of the two"
      )
      if !isDelivered { readBody = newValue }
      updateReading()
    }
  }

  /// Called once, when the peer has finished sending.
  ///
  /// The peer may still receive. If this is nil, and `read()` was not called,
  /// the connection then calls `finishWriting()` itself, and closes.
  public var onEnd: (() -> Void)? {
    get {
      check("Connection.onEnd")
      return endBody
    }
    set {
      check("Connection.onEnd")
      if !isDelivered { endBody = newValue }
    }
  }

  /// Called when `isWritable` has become true again. Never called inside
  /// `write`.
  public var onDrain: (() -> Void)? {
    get {
      check("Connection.onDrain")
      return drainBody
    }
    set {
      check("Connection.onDrain")
      if !isDelivered { drainBody = newValue }
    }
  }

  /// Called exactly once, after all other callbacks, when the connection has
  /// been closed.
  ///
  /// The error is nil if `close()` or `closeImmediately()` was called, or if
  /// both sides finished. It is `ETIMEDOUT` after a timeout, and `ECANCELED` if
  /// the loop was closed. It is never called inside `close()`. Not called if
  /// the loop is released without `EventLoop.close()`.
  public var onClose: ((UVError?) -> Void)? {
    get {
      check("Connection.onClose")
      return closeBody
    }
    set {
      check("Connection.onClose")
      if !isDelivered { closeBody = newValue }
    }
  }

  func didRead(_ bytes: UnsafeRawBufferPointer) {
    noteActivity()
    if let readBody { return readBody(bytes.bytes) }
    inbound.append(contentsOf: bytes)
    updateReading()
    wakeReader()
  }

  func peerDidEnd() {
    // libuv has stopped reading.
    isReading = false
    state.peerDidEnd()
    if let endBody {
      endBody()
    } else if !isPulled {
      state.finishWriting()
    }
    wakeReader()
    settle()
  }

  func didDrain() {
    let waiting = drainers
    drainers = []
    for suspension in waiting { suspension.resume() }
    drainBody?()
  }
}

// The end.
extension Connection {
  /// Whether the connection has been neither closed nor lost. False from
  /// `close()` on.
  public var isOpen: Bool {
    check("Connection.isOpen")
    return state.stage == .open
  }

  /// Half-closes: tells the peer that no more bytes follow, after the queued
  /// bytes have been sent.
  ///
  /// The connection still reads. It closes when the peer has finished too.
  /// Writes are refused from now on. Calling it again does nothing.
  public func finishWriting() {
    check("Connection.finishWriting")
    state.finishWriting()
    settle()
  }

  /// Stops reading, sends the queued bytes, and closes the connection.
  ///
  /// Writes are refused from now on. A peer that does not receive delays the
  /// end without limit, unless `writeTimeout` is set. Calling it again does
  /// nothing.
  public func close() {
    check("Connection.close")
    state.startClosing()
    updateReading()
    wakeReader()
    settle()
  }

  /// Closes the connection now, and drops the queued bytes.
  ///
  /// The socket is closed when this returns. `onClose` is called later in the
  /// tick. Calling it again does nothing.
  public func closeImmediately() {
    check("Connection.closeImmediately")
    end(nil)
  }

  /// Closes after a system call has failed.
  func fail(_ code: Int32, _ operation: String) {
    end(UVError(code: code, operation: operation))
  }

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
      let result = stream.shutDown(streamDidShutDown)
      if result < 0 { fail(result, "Connection.finishWriting") }
    case .close: end(nil)
    }
  }

  func end(_ error: UVError?) {
    guard state.stage != .closed else { return }
    state.close()
    self.error = error
    isReading = false
    inFlight = 0
    queue.removeAll(&io.chunks)
    timeouts.cancel()
    resumeAll(error)
    stream.close(streamDidClose)
    // libuv has closed the descriptor.
    DescriptorWaiters.shared.value.didFree()
  }

  /// Resumes the waiting tasks of a closed connection.
  private func resumeAll(_ error: UVError?) {
    let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
    reader?.resume(result)
    reader = nil
    for suspension in drainers { suspension.resume(result) }
    drainers = []
  }

  /// Makes the last callback, and releases all callbacks.
  func deliverClose() {
    guard !isDelivered else { return }
    // An adopted loop may be closed before libuv has closed the stream.
    stream.setOwner(nil)
    io.remove(number)
    let body = releaseCallbacks().close
    body?(error)
  }

  private typealias Callbacks = (
    read: ((RawSpan) -> Void)?, end: (() -> Void)?, drain: (() -> Void)?,
    close: ((UVError?) -> Void)?
  )

  /// Returns the callbacks, for the caller to release outside of any access to
  /// the connection.
  private func releaseCallbacks() -> Callbacks {
    isDelivered = true
    defer { (readBody, endBody, drainBody, closeBody) = (nil, nil, nil, nil) }
    return (readBody, endBody, drainBody, closeBody)
  }
}

extension Connection: LoopIOMember {
  var handle: UnsafeMutableRawPointer? { stream.address }

  func endWithLoop() {
    // Tries once; nothing waits for the socket any more.
    performScheduled()
    end(UVError(code: ErrorCode.cancelled, operation: "EventLoop.close"))
    deliverClose()
  }

  func endWithoutLoop() {
    stream.setOwner(nil)
    if state.stage != .closed { stream.endWithoutLoop() }
    state.close()
    resumeAll(UVError(code: ErrorCode.cancelled, operation: "EventLoop released without close()"))
    _ = releaseCallbacks()
  }

  func abandonInChild() {
    stream.setOwner(nil)
    if state.stage != .closed { stream.abandonInChild() }
  }
}

extension Connection: Hashable {
  /// Whether both are the same connection.
  public static func == (first: Connection, second: Connection) -> Bool { first === second }

  /// Hashes the connection's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
