import CLibUV
import LoopTransactions
import Synchronization

/// One of the server's loops: its listener, its clients, and who of them is subscribed
/// to what. Of its thread.
final class ServerLoop {
  let server: Server
  let index: Int
  let uv: UnsafeMutablePointer<uv_loop_t>
  let coalesces: Bool
  /// Where every connection of the loop reads to: it is served at once.
  let readBuffer: uv_buf_t

  private let loop: EventLoop
  // Nil until `init` has made everything that it calls.
  private var listener: Listener?
  private var isStopping = false
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var subscribers: [Bytes: [ObjectIdentifier: Connection]] = [:]
  // The loops that have enough on their way, and the publishers that wait for them, in
  // the order they came.
  private var full: Set<Int> = []
  private var held: [Connection] = []
  private let counters: Server.Counters
  private let readMemory: UnsafeMutableRawPointer

  private static var readSize: Int { 64 << 10 }

  init(_ server: Server, _ index: Int) throws {
    self.server = server
    self.index = index
    coalesces = server.options.coalesces
    counters = server.counters[index]
    // First: most often it is this that fails, and then there is nothing to let go.
    if index == 0 { try server.checkPortIsFree() }
    let socket = try server.listeningSocket()
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
      // An adopted loop is not let go open.
      try end()
      throw error
    }
  }

  deinit {
    uv.deallocate()
    readMemory.deallocate()
  }

  /// A loop of libuv's, and ours in it.
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

  /// Runs until it is told to `stop()`.
  func run() throws {
    if index == 0 {
      var swept = 0
      loop.addTimer(after: .seconds(1), every: .seconds(1)) { [server] _ in
        server.store.sweep(swept)
        swept += 1
      }
    }
    loop.run()
    try end()
  }

  /// Lets every client go, and has the run end. Told again, it does nothing.
  func stop() {
    guard !isStopping else { return }
    isStopping = true
    for connection in Array(connections.values) { connection.close() }
    held = []
    listener?.close()
    loop.stop()
  }

  /// libuv opens a spare descriptor for each loop with its first stream. Opened here, a
  /// loop has as many descriptors at rest before its first client as after it.
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
      didPause: { [counters] in counters.pauses.add(1, ordering: .relaxed) },
      didAccept: { [unowned self] in accept($0) }
    )
  }

  /// Closes both loops, once every handle of the server's is told to close.
  private func end() throws {
    try loop.close()
    // What was closed is let go by its callbacks.
    uv_run(uv, UV_RUN_DEFAULT)
    try check(uv_loop_close(uv), "uv_loop_close")
  }

  private func accept(_ socket: Int32) {
    guard let connection = Connection(socket, on: self) else { return }
    connections[ObjectIdentifier(connection)] = connection
    counters.connections.add(1, ordering: .relaxed)
  }
}

// What connections ask for.
extension ServerLoop {
  /// Has the connection send what it is told, before the loop waits.
  func commit(_ connection: Connection) { loop.commit(connection, Connection.flush) }

  // Relaxed: counters, which say nothing of other memory.
  func didReply() { counters.replies.add(1, ordering: .relaxed) }

  func didWrite() { counters.writes.add(1, ordering: .relaxed) }

  /// The connection's descriptor is closed.
  func didFreeDescriptor() { server.descriptorWaiters.didFree() }

  func left(_ connection: Connection) {
    unsubscribeAll(connection)
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    counters.connections.subtract(1, ordering: .relaxed)
  }
}

// Channels.
extension ServerLoop {
  func subscribe(_ connection: Connection, to channel: Bytes) {
    subscribers[channel, default: [:]][ObjectIdentifier(connection)] = connection
    server.subscribed(to: channel, on: index, by: 1)
  }

  func unsubscribe(_ connection: Connection, from channel: Bytes) {
    guard subscribers[channel]?.removeValue(forKey: ObjectIdentifier(connection)) != nil else {
      return
    }
    if subscribers[channel]?.isEmpty == true { subscribers[channel] = nil }
    server.subscribed(to: channel, on: index, by: -1)
  }

  func unsubscribeAll(_ connection: Connection) {
    for channel in connection.channels { unsubscribe(connection, from: channel) }
    connection.channels = []
  }

  /// Sends a message to all who are subscribed, on every loop; how many they are.
  func publish(_ channel: Bytes, _ message: UnsafeRawBufferPointer) -> Int {
    let counts = server.subscribers(of: channel)
    if counts.isEmpty { return 0 }
    var reply = Reply()
    reply.array(3)
    reply.bulk(Array("message".utf8))
    reply.bulk(channel.array)
    reply.bulk(message)
    // Written once, whoever sends it.
    let chunk = Chunk(capacity: reply.bytes.count)
    reply.bytes.withUnsafeBytes { chunk.append($0) }
    for other in counts.keys where server.deliver(chunk, channel, on: other, from: index) {
      full.insert(other)
    }
    return counts.values.reduce(0, +)
  }

  /// Whether a publisher is to wait with its next message.
  var holdsPublishers: Bool { !full.isEmpty }

  /// Has a publisher wait, until it is told to go on.
  func hold(_ publisher: Connection) {
    counters.holds.add(1, ordering: .relaxed)
    held.append(publisher)
  }

  /// The loop `other` has less on its way. By turns: who is held again is the last. Who
  /// is gone meanwhile is let go of here.
  func goOn(behind other: Int) {
    full.remove(other)
    var waiting = held[...]
    held = []
    while full.isEmpty, let publisher = waiting.popFirst() { publisher.isReleased() }
    held.insert(contentsOf: waiting, at: 0)
  }

  /// Tells this loop's.
  func deliver(_ message: Chunk, _ channel: Bytes) {
    guard let connections = subscribers[channel] else { return }
    for connection in connections.values { connection.deliver(message) }
  }
}
