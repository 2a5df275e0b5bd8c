import CLibUV
import LoopTransactions
import Synchronization

/// One of the server's loops, with its listener, connections and subscriptions.
/// Loop thread only.
final class ServerLoop {
  let server: Server
  let index: Int
  let uv: UnsafeMutablePointer<uv_loop_t>
  let coalesces: Bool
  /// The read buffer that all connections of the loop share. A connection uses or copies
  /// its bytes before the next read.
  let readBuffer: uv_buf_t

  private let loop: EventLoop
  // Nil until the end of `init`, because the listener's closures capture `self`.
  private var listener: Listener?
  private var isStopping = false
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var subscribers: [Bytes: [ObjectIdentifier: Connection]] = [:]
  // The loops whose backlog exceeds the limit.
  private var backloggedLoops: Set<Int> = []
  // The publishers that wait for `backloggedLoops`, in FIFO order.
  private var pausedPublishers: [Connection] = []
  private let counters: Server.Counters
  private let readMemory: UnsafeMutableRawPointer

  private static var readSize: Int { 64 << 10 }

  init(_ server: Server, _ index: Int) throws {
    self.server = server
    self.index = index
    coalesces = server.options.coalesces
    counters = server.counters[index]
    // Order: these calls fail most often, and nothing needs cleanup at this point.
    if index == 0 { try server.checkPortIsFree() }
    let socket = try server.makeListeningSocket()
    do {
      (uv, loop) = try Self.makeLoop()
    } catch {
      closeSocket(socket)
      throw error
    }
    readMemory = .allocate(byteCount: Self.readSize, alignment: 16)
    readBuffer = uv_buf_init(
      readMemory.assumingMemoryBound(to: CChar.self),
      UInt32(Self.readSize)
    )
    do {
      listener = try listen(at: socket)
    } catch {
      // An EventLoop must be closed before it is released.
      try closeLoops()
      throw error
    }
  }

  deinit {
    uv.deallocate()
    readMemory.deallocate()
  }

  /// Creates a libuv loop and the `EventLoop` that adopts it.
  private static func makeLoop() throws -> (UnsafeMutablePointer<uv_loop_t>, EventLoop) {
    let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    do {
      try check(uv_loop_init(uv), "uv_loop_init")
    } catch {
      uv.deallocate()
      throw error
    }
    do {
      return (uv, try EventLoop(adopting: UnsafeMutableRawPointer(uv)))
    } catch {
      uv_run(uv, UV_RUN_DEFAULT)
      uv_loop_close(uv)
      uv.deallocate()
      throw error
    }
  }

  var port: LoopPort { loop.port }

  /// Runs the loop until `stop()` is called, then closes it.
  func run() throws {
    if index == 0 {
      var round = 0
      loop.addTimer(after: .seconds(1), every: .seconds(1)) { [server] _ in
        server.store.sweep(round)
        round += 1
      }
    }
    loop.run()
    try closeLoops()
  }

  /// Closes all connections and makes `run()` return. Has no effect if called again.
  func stop() {
    guard !isStopping else { return }
    isStopping = true
    for connection in Array(connections.values) { connection.close() }
    pausedPublishers = []
    listener?.close()
    loop.stop()
  }

  /// Makes libuv open the loop's spare descriptor now.
  ///
  /// By default, libuv opens the spare descriptor together with the first stream.
  /// Opening it now keeps an idle loop's number of descriptors the same before and after
  /// its first client.
  private func openSpareDescriptor() {
    let stream = UnsafeMutablePointer<uv_tcp_t>.allocate(capacity: 1)
    guard uv_tcp_init(uv, stream) == 0 else { return stream.deallocate() }
    stream.withMemoryRebound(to: uv_handle_t.self, capacity: 1) {
      uv_close($0) { UnsafeMutableRawPointer($0)?.deallocate() }
    }
  }

  private func listen(at socket: Int32) throws -> Listener {
    openSpareDescriptor()
    return try Listener(
      socket,
      on: loop,
      uv,
      waiters: server.descriptorWaiters,
      retryDelay: .seconds(server.options.retry),
      didPause: { [counters] in counters.acceptPauses.add(1, ordering: .relaxed) },
      didAccept: { [unowned self] in accept($0) }
    )
  }

  /// Closes the `EventLoop` and the libuv loop. Close all of the server's handles first.
  private func closeLoops() throws {
    try loop.close()
    // Runs the close callbacks, which release connections and the listener.
    uv_run(uv, UV_RUN_DEFAULT)
    try check(uv_loop_close(uv), "uv_loop_close")
  }

  private func accept(_ socket: Int32) {
    guard let connection = Connection(socket, on: self) else { return }
    connections[ObjectIdentifier(connection)] = connection
    counters.connections.add(1, ordering: .relaxed)
  }
}

// Called by connections.
extension ServerLoop {
  /// Makes the connection send its output before the loop waits.
  func commit(_ connection: Connection) { loop.commit(connection, Connection.flush) }

  // Relaxed: the counters are statistics and do not order other memory accesses.
  func didReply() { counters.replies.add(1, ordering: .relaxed) }

  func didWrite() { counters.writes.add(1, ordering: .relaxed) }

  func didFreeDescriptor() { server.descriptorWaiters.didFree() }

  func remove(_ connection: Connection) {
    unsubscribeAll(connection)
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    counters.connections.subtract(1, ordering: .relaxed)
  }
}

// Channels.
extension ServerLoop {
  func subscribe(_ connection: Connection, to channel: Bytes) {
    subscribers[channel, default: [:]][ObjectIdentifier(connection)] = connection
    server.changeSubscribers(of: channel, on: index, by: 1)
  }

  func unsubscribe(_ connection: Connection, from channel: Bytes) {
    guard subscribers[channel]?.removeValue(forKey: ObjectIdentifier(connection)) != nil else {
      return
    }
    if subscribers[channel]?.isEmpty == true { subscribers[channel] = nil }
    server.changeSubscribers(of: channel, on: index, by: -1)
  }

  func unsubscribeAll(_ connection: Connection) {
    for channel in connection.channels { unsubscribe(connection, from: channel) }
    connection.channels = []
  }

  /// Sends a message to the channel's subscribers on every loop. Returns the number of
  /// subscribers.
  func publish(_ channel: Bytes, _ message: UnsafeRawBufferPointer) -> Int {
    let counts = server.subscribers(of: channel)
    if counts.isEmpty { return 0 }
    var reply = Reply()
    reply.array(3)
    reply.bulk(Array("message".utf8))
    reply.bulk(channel.array)
    reply.bulk(message)
    // All subscribers share one copy of the message.
    let chunk = Chunk(capacity: reply.bytes.count)
    reply.bytes.withUnsafeBytes { chunk.append($0) }
    for other in counts.keys where server.deliver(chunk, channel, on: other, from: index) {
      backloggedLoops.insert(other)
    }
    return counts.values.reduce(0, +)
  }

  /// Whether a publisher must wait before its next message.
  var pausesPublishers: Bool { !backloggedLoops.isEmpty }

  /// Makes a publisher wait. Its `resumePublishing()` is called when it can continue.
  func addPausedPublisher(_ publisher: Connection) {
    counters.publisherPauses.add(1, ordering: .relaxed)
    pausedPublishers.append(publisher)
  }

  /// Resumes publishers after the backlog of `other` has shrunk.
  ///
  /// The order is round robin: a publisher that must wait again goes to the end of
  /// the list. Connections that have closed since they began to wait are released
  /// here.
  func resumePublishers(waitingFor other: Int) {
    backloggedLoops.remove(other)
    var waiting = pausedPublishers[...]
    pausedPublishers = []
    while backloggedLoops.isEmpty, let publisher = waiting.popFirst() {
      publisher.resumePublishing()
    }
    pausedPublishers.insert(contentsOf: waiting, at: 0)
  }

  /// Delivers a message to the channel's subscribers on this loop.
  func deliver(_ message: Chunk, _ channel: Bytes) {
    guard let connections = subscribers[channel] else { return }
    for connection in connections.values { connection.deliver(message) }
  }
}
