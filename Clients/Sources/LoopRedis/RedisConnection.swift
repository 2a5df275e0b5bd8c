import CHiredis
private import Glibc
public import LoopTransactions

/// A connection to a Redis server by hiredis, which polls its socket on a loop.
///
/// hiredis frees its context in a read that ends the connection. Its adapter then forgets the
/// context, so it does not write for the same event, and `disconnected()` forgets it here.
///
/// Connects again when the connection ends, until `close()`. Belongs to the loop's thread.
public final class RedisConnection {
  private let loop: EventLoop
  private let path: String
  private var context: UnsafeMutablePointer<redisAsyncContext>?
  private var observer: Observer?
  private var isClosed = false

  /// Whether commands can be sent.
  public private(set) var isOpen = false

  /// The number of connections that were made.
  public private(set) var count = 0

  /// Called when a connection is open.
  public var onOpen: (() -> Void)?

  /// Creates a connection to the server at a Unix socket.
  ///
  /// - Throws: `EINVAL` if `path` has a zero byte, because C would take the bytes before it.
  public init(to path: String, on loop: EventLoop) throws(UVError) {
    guard !path.utf8.contains(0) else {
      throw UVError(code: -EINVAL, operation: "RedisConnection.init (the path has a zero byte)")
    }
    (self.loop, self.path) = (loop, path)
    observer = loop.addObserver(for: .beforeWaiting) { [weak self] _ in self?.readError() }
    connect()
  }

  /// Sends a command, together with the other commands of the tick.
  ///
  /// - Parameter replied: Called with the reply, or with nil if the connection ends first. A
  ///   subscription's is called with each message, and with nil at the end.
  /// - Precondition: `isOpen`.
  public func send(_ words: [String], _ replied: @escaping (RedisValue?) -> Void) {
    precondition(isOpen, "RedisConnection.send: the connection is not open")
    // hiredis writes when the socket is writable, so the commands of a tick are one write.
    var command = "*\(words.count)\r\n"
    for word in words { command += "$\(word.utf8.count)\r\n\(word)\r\n" }
    let isSubscription = words[0].uppercased().hasSuffix("SUBSCRIBE")
    let handler = Unmanaged.passRetained(ReplyHandler(replied, isSubscription))
    let count = command.utf8.count
    redisAsyncFormattedCommand(context, commandReplied, handler.toOpaque(), command, count)
  }

  /// Ends the connection when all commands have been answered. Closing again does nothing.
  public func close() {
    guard !isClosed else { return }
    let wasOpen = isOpen
    (isClosed, isOpen) = (true, false)
    if let context { redisAsyncDisconnect(context) }
    // hiredis frees a context that is not connected, and does not report that.
    if !wasOpen { disconnected() }
  }
}

// The connection.
extension RedisConnection {
  private func connect() {
    let made = redisAsyncConnectUnix(path)
    guard let made, made.pointee.err == 0 else {
      if let made { redisAsyncFree(made) }
      return connectLater()
    }
    context = made
    made.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    redisLibuvAttach(made, loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self))
    redisAsyncSetConnectCallback(made) { connection(of: $0)?.connected($1 == REDIS_OK) }
    redisAsyncSetDisconnectCallback(made) { context, _ in connection(of: context)?.disconnected() }
  }

  private func connectLater() {
    loop.addTimer(after: .milliseconds(50)) { [weak self] _ in
      guard let self, !isClosed else { return }
      connect()
    }
  }

  private func connected(_ isConnected: Bool) {
    // hiredis frees the context if it could not connect.
    guard isConnected else { return disconnected() }
    isOpen = true
    count += 1
    onOpen?()
  }

  private func disconnected() {
    (context, isOpen) = (nil, false)
    if isClosed { observer?.cancel() } else { connectLater() }
  }

  /// Lets hiredis read the error for which libuv stopped its poll handle. The adapter of
  /// hiredis 0.14 ignores it, so a reset connection would never end.
  private func readError() {
    guard let context, let data = context.pointee.ev.data else { return }
    let poll = data.assumingMemoryBound(to: redisLibuvEvents.self)
    let isPolled = withUnsafeMutablePointer(to: &poll.pointee.handle) {
      $0.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_is_active($0) != 0 }
    }
    if poll.pointee.events != 0, !isPolled { redisAsyncHandleRead(context) }
  }
}

private func connection(of context: UnsafePointer<redisAsyncContext>?) -> RedisConnection? {
  context?.pointee.data.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
}

/// The closure of a command. hiredis keeps it until the last reply.
private final class ReplyHandler {
  let replied: (RedisValue?) -> Void
  let isSubscription: Bool

  init(_ replied: @escaping (RedisValue?) -> Void, _ isSubscription: Bool) {
    (self.replied, self.isSubscription) = (replied, isSubscription)
  }
}

private func commandReplied(
  _ context: UnsafeMutablePointer<redisAsyncContext>?,
  _ reply: UnsafeMutableRawPointer?,
  _ data: UnsafeMutableRawPointer?
) {
  guard let data else { return }
  let handler = Unmanaged<ReplyHandler>.fromOpaque(data)
  let replied = handler.takeUnretainedValue().replied
  if reply == nil || !handler.takeUnretainedValue().isSubscription { handler.release() }
  replied(reply.map { RedisValue($0.assumingMemoryBound(to: redisReply.self).pointee) })
}
