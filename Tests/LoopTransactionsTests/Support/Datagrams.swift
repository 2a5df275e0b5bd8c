import CUV
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A UDP socket whose peer does not exist until `send`.
final class Datagrams {
  let receiver: Int32
  private var sender: Int32
  private var address = sockaddr_in()
  // A program that another test starts would otherwise keep the peer's port bound.
  private static let datagram = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)

  init() throws {
    receiver = socket(AF_INET, Self.datagram, 0)
    sender = socket(AF_INET, Self.datagram, 0)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try #require(bindSender() && withAddress { getsockname(sender, $0, &$1) } == 0)
    try #require(withAddress { connect(receiver, $0, $1) } == 0)
    close(sender)
    sender = -1
  }

  deinit {
    close(receiver)
    if sender >= 0 { close(sender) }
  }

  /// Makes the next read fail with `ECONNREFUSED`.
  func fail() { _ = Glibc.send(receiver, "!", 1, 0) }

  /// Makes the system keep each error until `readError()`, also after a read
  /// has failed with it.
  func keepErrors() throws {
    try set(IP_RECVERR, at: Int32(IPPROTO_IP))
  }

  /// Makes the system report kept errors with `POLLPRI`, too.
  func reportErrorsAsPriority() throws { try set(SO_SELECT_ERR_QUEUE, at: SOL_SOCKET) }

  private func set(_ option: Int32, at level: Int32) throws {
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    try #require(setsockopt(receiver, level, option, &yes, size) == 0)
  }

  /// Takes one kept error. Returns false if there is none.
  @discardableResult
  func readError() -> Bool {
    var message = msghdr()
    return recvmsg(receiver, &message, Int32(MSG_ERRQUEUE)) >= 0
  }

  /// Sends `count` bytes from the peer's address.
  func send(_ count: Int) throws {
    guard sender < 0 else { return SocketPair.write(count, to: sender) }
    let own = address
    try #require(withAddress { getsockname(receiver, $0, &$1) } == 0)
    let target = address
    address = own
    sender = socket(AF_INET, Self.datagram, 0)
    try #require(bindSender())
    address = target
    try #require(withAddress { connect(sender, $0, $1) } == 0)
    SocketPair.write(count, to: sender)
  }

  private func bindSender() -> Bool { withAddress { bind(sender, $0, $1) } == 0 }

  private func withAddress(
    _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32
  ) -> Int32 {
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
      bytes.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), &size) } ?? -1
    }
  }
}
