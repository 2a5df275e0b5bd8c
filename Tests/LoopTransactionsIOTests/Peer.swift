import LoopTransactions
import LoopTransactionsIO
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A blocking stream socket: the other side of a connection.
final class Peer {
  private(set) var descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close() }

  /// Connects to a listener of this machine.
  convenience init(to endpoint: Endpoint) throws {
    guard case .tcp(_, let port) = endpoint else { throw NotTCP() }
    self.init(socket(AF_INET, Self.stream, 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    precondition(result == 0, "Peer: connect failed: \(errno)")
  }

  struct NotTCP: Error {}

  // Closed in other programs that tests start meanwhile, so that they do not
  // delay the end of a socket.
  private static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

  /// Opens a socket pair: a peer, and the descriptor of the other end.
  static func pair() -> (peer: Peer, other: Int32) {
    var ends: [Int32] = [-1, -1]
    let result = socketpair(AF_UNIX, stream, 0, &ends)
    precondition(result == 0, "Peer: socketpair failed: \(errno)")
    return (Peer(ends[0]), ends[1])
  }

  /// Opens a pipe: its reading end, and the descriptor of the other end.
  static func pipe() -> (peer: Peer, other: Int32) {
    var ends: [Int32] = [-1, -1]
    let result = Glibc.pipe(&ends)
    precondition(result == 0, "Peer: pipe failed: \(errno)")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (Peer(ends[0]), ends[1])
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    let sent = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    precondition(sent == bytes.count, "Peer: send failed: \(errno)")
  }

  /// Sends `text` and a descriptor of a Unix socket.
  func send(_ text: String, passing passed: Int32) {
    var text = text
    let sent = text.withUTF8 { bytes in
      // A header with its length, level and type, and the descriptor.
      var control: (Int, Int32, Int32, Int64) = (20, SOL_SOCKET, Int32(SCM_RIGHTS), Int64(passed))
      return withUnsafeMutablePointer(to: &control) { control in
        var part = iovec(iov_base: .init(mutating: bytes.baseAddress), iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (part, 1)
          (message.msg_control, message.msg_controllen) = (.init(control), 24)
          return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
      }
    }
    precondition(sent == text.utf8.count, "Peer: sendmsg failed: \(errno)")
  }

  /// Sends a byte of TCP's urgent data.
  func sendUrgentByte() {
    let sent = Glibc.send(descriptor, "!", 1, Int32(MSG_OOB | MSG_NOSIGNAL))
    precondition(sent == 1, "Peer: send failed: \(errno)")
  }

  /// Sends the first of `count` bytes that the socket takes. Returns their
  /// number.
  func sendWhatFits(_ count: Int) -> Int {
    let bytes = [UInt8](repeating: 0, count: count)
    return max(0, Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)))
  }

  /// Receives what has arrived, at most `limit` bytes. Returns nil at the end,
  /// and an empty array if nothing has arrived.
  func receive(_ limit: Int = 1 << 20) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &bytes, limit, Int32(MSG_DONTWAIT))
    if count == 0 { return nil }
    return Array(bytes.prefix(max(0, count)))
  }

  /// Waits for the end. Returns false if something arrives before.
  ///
  /// A process that a test has just forked holds the other side for a moment.
  var hasEnded: Bool {
    var bytes: [UInt8]? = []
    return inTime {
      bytes = receive()
      return bytes != []
    } && bytes == nil
  }

  /// Receives what has arrived, as text.
  var text: String { String(decoding: receive() ?? [], as: UTF8.self) }

  /// Whether there is something to receive, or the end.
  var isReadable: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes the socket. A TCP connection is reset.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout.size(ofValue: linger))
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
    close()
  }

  func close() {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Makes the sockets' buffers small.
  func shrinkBuffers(_ other: Int32) {
    var size: Int32 = 4096
    for socket in [descriptor, other] {
      for option in [SO_SNDBUF, SO_RCVBUF] {
        setsockopt(socket, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
      }
    }
  }
}
