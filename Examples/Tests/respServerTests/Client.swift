import Foundation

/// A client with blocking sends and reads.
final class Client {
  // A program that another test starts would otherwise keep the connection open.
  private static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  private var socket: Int32

  init(_ port: Int) throws {
    socket = Foundation.socket(AF_INET, Self.stream, 0)
    guard socket >= 0 else { throw POSIXError(.EMFILE) }
    let result = Self.withAddress(port) { connect(socket, $0, $1) }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    // A call fails if it blocks for 20 s.
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  deinit { close() }

  /// Disconnects without QUIT.
  func close() {
    if socket >= 0 { Foundation.close(socket) }
    socket = -1
  }

  /// Closes the sending side. Reading still works.
  func endSending() { shutdown(socket, Int32(SHUT_WR)) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
        return Foundation.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw POSIXError(.EPIPE) }
      sent += count
    }
  }

  /// Reads `count` bytes, or fewer at the end of the connection. A reset counts as the
  /// end, because the server may close before it has read everything.
  func bytes(_ count: Int) throws -> [UInt8] {
    var (bytes, read) = ([UInt8](repeating: 0, count: count), 0)
    while read < count {
      let more = bytes.withUnsafeMutableBytes { bytes in
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[read...])
        return recv(socket, rest.baseAddress, rest.count, 0)
      }
      if more < 0, errno != ECONNRESET { throw POSIXError(.ETIMEDOUT) }
      if more <= 0 { break }
      read += more
    }
    return Array(bytes.prefix(read))
  }

  func read(_ count: Int) throws -> String { String(decoding: try bytes(count), as: UTF8.self) }

  /// Requests the server's counters.
  func counters() throws -> [String: Int] {
    try send("INFO\r\n")
    var header = ""
    while !header.hasSuffix("\r\n") {
      let byte = try read(1)
      guard !byte.isEmpty else { throw POSIXError(.ECONNRESET) }
      header += byte
    }
    let text = try read((Int(header.dropFirst().dropLast()) ?? 0) + 2)
    return text.split(whereSeparator: \.isNewline).reduce(into: [:]) { counters, line in
      let words = line.split(separator: ":")
      if words.count == 2 { counters[String(words[0])] = Int(words[1]) }
    }
  }

  /// Waits until at least one of `clients` is readable. Returns the indices of all
  /// readable clients, in ascending order.
  static func readable(_ clients: [Client]) throws -> [Int] {
    var polled = clients.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
    guard poll(&polled, nfds_t(polled.count), 20_000) > 0 else { throw POSIXError(.ETIMEDOUT) }
    return polled.indices.filter { polled[$0].revents != 0 }
  }

  /// Opens a listening socket at a free port. Returns the socket and the port.
  static func listeningSocket() throws -> (socket: Int32, port: Int) {
    let socket = Foundation.socket(AF_INET, Self.stream, 0)
    guard withAddress(0, { bind(socket, $0, $1) }) == 0, listen(socket, 1) == 0 else {
      throw POSIXError(.EADDRINUSE)
    }
    var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    _ = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(socket, $0, &length)
      }
    }
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func withAddress(
    _ port: Int,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

extension TestProgram {
  /// Starts a server that prints its address, on a free port. Returns the
  /// program and its port, or nil if it does not print one.
  static func server(_ name: String) throws -> (TestProgram, port: Int?) {
    let program = TestProgram(TestProgram.built(name), ["0"])
    try program.startUnblocked()
    return (program, program.nextLine()?.split(separator: ":").last.flatMap { Int($0) })
  }
}
