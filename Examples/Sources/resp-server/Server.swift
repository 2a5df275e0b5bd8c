import CLibUV
import LoopTransactions
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The state that all loops share.
final class Server: @unchecked Sendable {
  // @unchecked: the first loop sets `port` before any other thread starts. All other
  // properties are `let` and Sendable.

  /// The counters of one loop. Any thread may read them.
  final class Counters: Sendable {
    let connections = Atomic<Int>(0)
    let replies = Atomic<Int>(0)
    let writes = Atomic<Int>(0)
    /// The number of PUBLISH requests that waited for a loop's backlog.
    let publisherPauses = Atomic<Int>(0)
    /// The number of times that the loop stopped accepting for lack of a descriptor.
    let acceptPauses = Atomic<Int>(0)
  }

  let options: Options
  let store = Store()
  let counters: [Counters]
  let descriptorWaiters = DescriptorWaiters()
  private(set) var port: UInt16 = 0
  private let channels = Locked<[Bytes: [Int: Int]]>([:])
  private let backlogs: [Locked<Backlog>]
  private let members: Locked<[Int: Member]> = Locked([:])

  // nonisolated(unsafe): only closures posted to `port` use `loop`, on its own thread.
  private struct Member: Sendable {
    let port: LoopPort
    nonisolated(unsafe) unowned let loop: ServerLoop
  }

  init(_ options: Options) {
    self.options = options
    port = options.port
    counters = (0..<options.loops).map { _ in Counters() }
    backlogs = (0..<options.loops).map { _ in Locked(Backlog(limit: options.backlog)) }
  }

  /// Creates a socket that listens on the server's port.
  ///
  /// Each loop has its own listening socket. The kernel distributes new connections
  /// among these sockets.
  func makeListeningSocket() throws -> Int32 {
    let (socket, port) = try makeBoundSocket([SO_REUSEADDR, SO_REUSEPORT])
    guard listen(socket, 4096) == 0 else {
      let code = -errno
      closeSocket(socket)
      throw ServerError("\(options.address):\(port)", code)
    }
    if self.port == 0 { self.port = port }
    return socket
  }

  /// Throws if another program uses the port.
  ///
  /// Because of SO_REUSEPORT, binding succeeds even if another program of the same
  /// user shares the port too. Each program would then get half of the clients.
  func checkPortIsFree() throws {
    if port != 0 { closeSocket(try makeBoundSocket([SO_REUSEADDR]).socket) }
  }

  private func makeBoundSocket(_ flags: [Int32]) throws -> (socket: Int32, port: UInt16) {
    var address = sockaddr_in()
    try check(uv_ip4_addr(options.address, Int32(port), &address), "--address \(options.address)")
    let socket = openSocket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { throw ServerError("socket", -errno) }
    var yes: Int32 = 1
    for flag in flags {
      setsockopt(socket, SOL_SOCKET, flag, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var length = size
        let result = bind(socket, address, size)
        return result == 0 ? getsockname(socket, address, &length) : result
      }
    }
    guard result == 0 else {
      let code = -errno
      closeSocket(socket)
      throw ServerError("\(options.address):\(port)", code)
    }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Adds a loop. Call on the loop's thread.
  func add(_ loop: ServerLoop) {
    let member = Member(port: loop.port, loop: loop)
    members.withLock { $0[loop.index] = member }
  }

  /// Stops every loop.
  ///
  /// Call from any thread.
  func stop() {
    for member in members.withLock({ Array($0.values) }) {
      // try?: throws only if the loop has already closed.
      try? member.port.post { member.loop.stop() }
    }
  }

  /// The reply to `INFO`. The server also prints it when it ends.
  var information: String {
    // Relaxed: the counters are statistics and do not order other memory accesses.
    func sum(_ counter: (Counters) -> Int) -> Int { counters.reduce(0) { $0 + counter($1) } }
    return """
      connections:\(sum { $0.connections.load(ordering: .relaxed) })
      replies:\(sum { $0.replies.load(ordering: .relaxed) })
      writes:\(sum { $0.writes.load(ordering: .relaxed) })
      publisher_pauses:\(sum { $0.publisherPauses.load(ordering: .relaxed) })
      accept_pauses:\(sum { $0.acceptPauses.load(ordering: .relaxed) })
      """.split(separator: "\n").map { $0 + "\r\n" }.joined()
  }
}

// Channels.
extension Server {
  /// Changes the number of the channel's subscribers on the loop `index` by `difference`.
  func changeSubscribers(of channel: Bytes, on index: Int, by difference: Int) {
    channels.withLock { channels in
      let count = (channels[channel]?[index] ?? 0) + difference
      channels[channel, default: [:]][index] = count == 0 ? nil : count
      if channels[channel]?.isEmpty == true { channels[channel] = nil }
    }
  }

  /// Returns the number of the channel's subscribers on each loop that has any.
  func subscribers(of channel: Bytes) -> [Int: Int] { channels.withLock { $0[channel] ?? [:] } }

  /// Posts a message to the loop `index`, which delivers it to its subscribers in FIFO
  /// order.
  ///
  /// Returns true if the publishers of the loop `publisher` must wait. When they
  /// can continue, that loop's `resumePublishers(waitingFor:)` is called.
  func deliver(_ message: Chunk, _ channel: Bytes, on index: Int, from publisher: Int) -> Bool {
    guard let member = members.withLock({ $0[index] }) else { return false }
    let count = message.count + Self.postSize
    let isFull = backlogs[index].withLock { $0.add(count, from: publisher) }
    do {
      try member.port.post { [self] in
        member.loop.deliver(message, channel)
        didDeliver(count, on: index)
      }
    } catch {
      // The loop has closed, so its subscribers have disconnected.
      didDeliver(count, on: index)
    }
    return isFull
  }

  private func didDeliver(_ count: Int, on index: Int) {
    for publisher in backlogs[index].withLock({ $0.didDeliver(count) }) {
      guard let member = members.withLock({ $0[publisher] }) else { continue }
      // try?: throws only if the loop has closed, and a closed loop has no
      // publishers.
      try? member.port.post { member.loop.resumePublishers(waitingFor: index) }
    }
  }

  // The bytes that the closure, the chunk and the queue entry of a message use. Not
  // measured.
  private static var postSize: Int { 256 }
}

/// A failed call of libuv or the system.
struct ServerError: Error, CustomStringConvertible {
  /// The call, address or option that failed.
  let subject: String
  /// A negative error number.
  let code: Int32

  init(_ subject: String, _ code: Int32) {
    self.subject = subject
    self.code = code
  }

  var description: String {
    let reason = "\(subject): \(errorMessage(code))"
    guard code == UV_EADDRINUSE.rawValue else { return reason }
    return "\(reason); choose another port with --port, or 0 for a free one"
  }
}

func check(_ code: Int32, _ subject: String) throws {
  if code < 0 { throw ServerError(subject, code) }
}

func errorMessage(_ code: Int32) -> String { String(cString: uv_strerror(code)) }

// Wrappers of the C functions `socket` and `close`, for types whose own members
// hide these functions.
private func openSocket(_ family: Int32, _ kind: Int32, _ protocolNumber: Int32) -> Int32 {
  socket(family, kind, protocolNumber)
}

/// Closes a socket that no libuv handle owns.
func closeSocket(_ socket: Int32) { close(socket) }
