public import LoopTransactions

/// A stream connection that belongs to a loop.
///
/// Made by `EventLoop.listen`, `EventLoop.connect` and
/// `EventLoop.connection(adopting:)`. Call everything on the loop; calls from
/// another thread trap while the loop is open. The loop keeps a connection until
/// it is closed. The callbacks are released after `onClose`, so they may capture
/// the connection.
///
/// Everything that is written in a tick is sent together before the loop waits,
/// after the transactions. A tick reads a limited number of bytes from each
/// connection, and so serves all of them. Rule E7 of docs/rules.md has the
/// limits. A connection keeps the loop running while it reads or has bytes to
/// send.
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
  // ones. Exclusivity is unchecked for those that an event accesses. No access to
  // them spans a call of user code.
  let io: LoopIO
  let core: PortCore
  let pool: UnsafeMutablePointer<ChunkPool>
  let stream: Stream

  @exclusivity(unchecked) var state = ConnectionState()
  @exclusivity(unchecked) var queue = OutgoingQueue()
  @exclusivity(unchecked) var marks = WaterMarks(low: 256 << 10, high: 1 << 20)
  // The next connection in the list of the loop's connections to send.
  @exclusivity(unchecked) var nextScheduled: Unmanaged<Connection>?
  // Whether the connection is in that list.
  @exclusivity(unchecked) var isScheduled = false
  // The bytes of the current write that waits for the socket, or 0.
  @exclusivity(unchecked) var inFlight = 0
  // The number of sends by writes that reached the high mark, since the last send
  // before the loop waited.
  @exclusivity(unchecked) var earlySends = 0
  // The number of writes handed to libuv.
  @exclusivity(unchecked) var writes = 0
  var drainers: [Suspension] = []

  var isReading = false
  var isPaused = false { didSet { updateReading() } }
  // Whether `read()` has been called. Bytes are then kept for the next call.
  var isPulled = false
  var inbound: [UInt8] = []
  var reader: Suspension?

  @exclusivity(unchecked) var idleWatch = Watchdog()
  // Runs only while a write waits for the socket.
  @exclusivity(unchecked) var progressWatch = Watchdog()
  // The time of the last read or write. Kept only with an idle timeout.
  @exclusivity(unchecked) var lastActivity: LoopClock.Instant?
  // The number of bytes sent, without the write in flight.
  @exclusivity(unchecked) var sent = 0
  var error: UVError?

  // Nil once `onClose` has been called.
  @exclusivity(unchecked) var callbacks: Callbacks? = Callbacks()

  /// The order at which connections send, among the observers of
  /// `beforeWaiting` and `exit`: just after the transactions.
  public static var flushOrder: Int { 0x1000000 }

  /// Takes over a connected stream.
  init(_ stream: Stream, _ io: LoopIO) {
    (self.stream, self.io, core, pool) = (stream, io, io.core, io.pool)
    io.add(self)
    stream.setOwner(self)
  }
}

// Callbacks.
extension Connection {
  struct Callbacks {
    var read: ((RawSpan) -> Void)?
    var end: (() -> Void)?
    var drain: (() -> Void)?
    var close: ((UVError?) -> Void)?
  }

  /// Replaces a callback. Releases the old one outside of any access, because
  /// that may run a `deinit`.
  private func store<Body>(_ path: WritableKeyPath<Callbacks, Body>, _ body: Body) {
    let old = callbacks
    callbacks?[keyPath: path] = body
    updateReading()
    withExtendedLifetime(old) {}
  }

  /// Called with received bytes, which are valid until it returns.
  ///
  /// Reading starts when this is set, and stops while it is nil. The bytes are
  /// not copied: all connections of a loop read into the same memory. Copy them
  /// with `[UInt8](copying:)` or `String(copying:)`.
  ///
  /// While this is nil, a connection with `onEnd`, or after `finishWriting()`,
  /// reads up to 64 KB and one buffer, so as to notice the peer's end. Those
  /// bytes are kept for `read()`, or for the next callback that is set, which
  /// gets them in a later tick.
  ///
  /// - Precondition: `read()` has not been called.
  public var onRead: ((RawSpan) -> Void)? {
    get { on("Connection.onRead").callbacks?.read }
    set {
      let mayRead = !on("Connection.onRead").isPulled || newValue == nil
      require(mayRead, "Connection.onRead: must not be set after read() was called; use only one")
      store(\.read, newValue)
    }
  }

  /// Called once, when the peer has finished sending, after all its bytes.
  ///
  /// Bytes that nothing reads delay it if they are more than 64 KB. The peer may
  /// still receive. If this is nil, and `read()` was not called, the connection
  /// then calls `finishWriting()` itself, and closes.
  public var onEnd: (() -> Void)? {
    get { on("Connection.onEnd").callbacks?.end }
    set { on("Connection.onEnd").store(\.end, newValue) }
  }

  /// Called when `isWritable` has become true again. Never called inside
  /// `write`. Not called after writes that leave the connection writable.
  public var onDrain: (() -> Void)? {
    get { on("Connection.onDrain").callbacks?.drain }
    set { on("Connection.onDrain").store(\.drain, newValue) }
  }

  /// Called exactly once, after all other callbacks, when the connection has
  /// been closed.
  ///
  /// The error is nil if `close()` or `closeImmediately()` was called, or if
  /// both sides finished. It is `ETIMEDOUT` after a timeout, and `ECANCELED` if
  /// the loop was closed. It is never called inside `close()`. Not called if
  /// the loop is released without `EventLoop.close()`.
  public var onClose: ((UVError?) -> Void)? {
    get { on("Connection.onClose").callbacks?.close }
    set { on("Connection.onClose").store(\.close, newValue) }
  }

  func didRead(_ bytes: UnsafeRawBufferPointer) {
    noteActivity()
    if let body = callbacks?.read { return body(bytes.bytes) }
    inbound.append(contentsOf: bytes)
    updateReading()
    wakeReader()
  }

  func peerDidEnd() {
    // libuv has stopped reading.
    isReading = false
    state.peerDidEnd()
    if let body = callbacks?.end { body() } else if !isPulled { state.finishWriting() }
    wakeReader()
    settle()
  }

  func didDrain() {
    resumeDrainers(.success(()))
    callbacks?.drain?()
  }

  func resumeDrainers(_ result: Result<Void, any Error>) {
    for suspension in drainers { suspension.resume(result) }
    drainers = []
  }
}

extension Connection: Hashable {
  /// Whether both are the same connection.
  public static func == (first: Connection, second: Connection) -> Bool { first === second }

  /// Hashes the connection's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
