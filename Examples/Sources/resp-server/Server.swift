import CLibUV
import LoopTransactions
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the loops share.
final class Server: @unchecked Sendable {
  // @unchecked: `port` is set by the first loop, before there are other threads. A
  // member's loop is used on its own thread only, where what is posted to its port
  // runs. The rest are constants and under locks.

  /// What a loop counts; read by any.
  final class Counters: Sendable {
    let connections = Atomic<Int>(0)
    let replies = Atomic<Int>(0)
    let writes = Atomic<Int>(0)
    let holds = Atomic<Int>(0)
    /// How often it stopped accepting for want of a descriptor.
    let pauses = Atomic<Int>(0)
  }

  let options: Options
  let store = Store()
  let counters: [Counters]
  let descriptorWaiters = DescriptorWaiters()
  private(set) var port: UInt16 = 0
  private let channels = Locked<[Bytes: [Int: Int]]>([:])
  private let backlogs: [Locked<Backlog>]
  private let members: Locked<[Int: Member]> = Locked([:])

  // nonisolated(unsafe): used on the loop's own thread.
  private struct Member: Sendable {
    let port: LoopPort
    nonisolated(unsafe) unowned let loop: ServerLoop
  }

  init(_ options: Options) {
    self.options = options
    port = options.port
    counters = (0..<options.loops).map { _ in Counters() }
    backlogs = (0..<options.loops).map { _ in Locked(Backlog(most: options.backlog)) }
  }

  /// A listening socket of the server's port. Each loop has one; the system distributes
  /// new connections among them.
  func listeningSocket() throws -> Int32 {
    let (socket, port) = try boundSocket([SO_REUSEADDR, SO_REUSEPORT])
    guard listen(socket, 4096) == 0 else {
      let code = -errno
      closeSocket(socket)
      throw Failure(what: "\(options.address):\(port)", code: code)
    }
    if self.port == 0 { self.port = port }
    return socket
  }

  /// Throws if another program has the port. One of the same user that shares its own,
  /// such as this, would get half of the clients.
  func checkPortIsFree() throws {
    if port != 0 { closeSocket(try boundSocket([SO_REUSEADDR]).socket) }
  }

  private func boundSocket(_ flags: [Int32]) throws -> (socket: Int32, port: UInt16) {
    var address = sockaddr_in()
    try check(uv_ip4_addr(options.address, Int32(port), &address), "--address \(options.address)")
    let socket = openSocket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { throw Failure(what: "socket", code: -errno) }
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
      throw Failure(what: "\(options.address):\(port)", code: code)
    }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Adds a loop, on its thread.
  func add(_ loop: ServerLoop) {
    let member = Member(port: loop.port, loop: loop)
    members.withLock { $0[loop.index] = member }
  }

  /// Has every loop end.
  ///
  /// Call from any thread.
  func stop() {
    for member in members.withLock({ Array($0.values) }) {
      // Refused: it has ended already.
      try? member.port.post { member.loop.stop() }
    }
  }

  var information: String {
    func sum(_ counter: (Counters) -> Int) -> Int { counters.reduce(0) { $0 + counter($1) } }
    return """
      connections:\(sum { $0.connections.load(ordering: .relaxed) })
      replies:\(sum { $0.replies.load(ordering: .relaxed) })
      writes:\(sum { $0.writes.load(ordering: .relaxed) })
      holds:\(sum { $0.holds.load(ordering: .relaxed) })
      pauses:\(sum { $0.pauses.load(ordering: .relaxed) })
      """.split(separator: "\n").map { $0 + "\r\n" }.joined()
  }
}

// Channels.
extension Server {
  func subscribed(to channel: Bytes, on index: Int, by difference: Int) {
    channels.withLock { channels in
      let count = (channels[channel]?[index] ?? 0) + difference
      channels[channel, default: [:]][index] = count == 0 ? nil : count
      if channels[channel]?.isEmpty == true { channels[channel] = nil }
    }
  }

  /// How many clients are subscribed, by their loop.
  func subscribers(of channel: Bytes) -> [Int: Int] { channels.withLock { $0[channel] ?? [:] } }

  /// Has the loop at `index` tell its own, behind what was delivered to it before;
  /// whether the loop `publisher` is to wait with the next, until it is told to go on.
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
      // It has ended, and they are gone.
      didDeliver(count, on: index)
    }
    return isFull
  }

  private func didDeliver(_ count: Int, on index: Int) {
    for publisher in backlogs[index].withLock({ $0.didDeliver(count) }) {
      guard let member = members.withLock({ $0[publisher] }) else { continue }
      // Refused: it has ended, and so have its publishers.
      try? member.port.post { member.loop.goOn(behind: index) }
    }
  }

  // Guess. What a message costs beside its bytes: a closure, a chunk, a place in a queue.
  private static var postSize: Int { 256 }
}

/// What libuv refused.
struct Failure: Error, CustomStringConvertible {
  let what: String
  let code: Int32

  var description: String {
    let reason = "\(what): \(String(cString: uv_strerror(code)))"
    guard code == UV_EADDRINUSE.rawValue else { return reason }
    return "\(reason); choose another by --port, or 0 for any that is free"
  }
}

func check(_ code: Int32, _ what: String) throws {
  if code < 0 { throw Failure(what: what, code: code) }
}

// Under other names than the methods'.
private func openSocket(_ family: Int32, _ kind: Int32, _ what: Int32) -> Int32 {
  socket(family, kind, what)
}

/// Closes a socket that no handle has taken.
func closeSocket(_ socket: Int32) { close(socket) }
