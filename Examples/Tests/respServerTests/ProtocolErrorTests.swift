import Foundation
import RespProtocol
import Testing

@Suite("resp-server: protocol errors", .serialized)
struct ProtocolErrorTests {
  @Test("invalid and oversized requests get an error reply, and the server keeps running")
  func errors() throws {
    let server = try TestServer()
    let big = Array("*1\r\n$2000000\r\n".utf8)
    #expect(try server.send(big) == "-ERR Protocol error: invalid bulk length\r\n")
    let line = [UInt8](repeating: 97, count: 100_000)
    #expect(try server.send(line) == "-ERR Protocol error: too big inline request\r\n")
    // Requests before the error are served.
    let late = Array("PING\r\n*1\r\nx".utf8)
    #expect(try server.send(late) == "+PONG\r\n-ERR Protocol error: expected '$', got 'x'\r\n")
    var state = UInt64(7)
    for _ in 0..<500 {
      let bytes = (0..<64).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      _ = try server.send([42] + bytes, waits: false)
    }
    #expect(try server.cli("ping") == ["PONG"])
    #expect(server.end() == 0)
  }

  @Test("100,000 random inputs get one reply per request, and one error per protocol error")
  func fuzz() throws {
    let server = try TestServer()
    var (random, parser, errors) = (RandomInput(seed: 5), RequestParser(), 0)
    for _ in 0..<10_000 {
      var bytes: [UInt8] = []
      for _ in 0..<10 { random.append(to: &bytes) }
      let (count, error) = Self.expectedReplies(to: bytes, &parser)
      errors += error == nil ? 0 : 1
      let client = try Client(server.port)
      // try?: the server may close the connection during the call.
      try? client.send(bytes)
      client.endSending()
      let reply = try client.bytes(1 << 16)
      try #require(Self.replyCount(reply) == count, "\(bytes)")
      let last = error.map { "-ERR Protocol error: \($0)\r\n" } ?? ""
      try #require(reply.suffix(last.utf8.count) == Array(last.utf8)[...], "\(bytes)")
    }
    #expect(errors > 1000)
    #expect(try server.counters()["connections"] == 1)
    #expect(server.end() == 0)
  }

  /// Returns the number of replies to `bytes`, and the protocol error that ends the
  /// connection, if any.
  private static func expectedReplies(
    to bytes: [UInt8],
    _ parser: inout RequestParser
  ) -> (count: Int, error: String?) {
    bytes.withUnsafeBytes { bytes in
      var (count, served) = (0, 0)
      while served < bytes.count {
        switch parser.parse(UnsafeRawBufferPointer(rebasing: bytes[served...])) {
        case .incomplete: return (count, nil)
        case .protocolError(let message): return (count + 1, message)
        case .request(let length):
          served += length
          count += parser.arguments.isEmpty ? 0 : 1
        }
      }
      return (count, nil)
    }
  }

  /// Counts the replies in `bytes`. Returns nil if one of them is invalid or incomplete.
  private static func replyCount(_ bytes: [UInt8]) -> Int? {
    var (count, rest) = (0, bytes[...])
    while let kind = rest.popFirst() {
      guard let end = rest.firstIndex(of: 10), end > rest.startIndex, rest[end - 1] == 13 else {
        return nil
      }
      let line = String(decoding: rest[..<(end - 1)], as: UTF8.self)
      rest = rest[(end + 1)...]
      if kind == UInt8(ascii: "$"), let length = Int(line), length >= 0 {
        guard rest.count >= length + 2 else { return nil }
        rest = rest.dropFirst(length + 2)
      }
      count += 1
    }
    return count
  }

  @Test("a protocol error gets one reply with its name, and other connections stay open")
  func names() throws {
    let server = try TestServer(["--loops", "1"])
    let other = try Client(server.port)
    let word = "$1\r\nx\r\n"
    let million = "$1000000\r\n\(String(repeating: "v", count: 1_000_000))\r\n"
    let errors = [
      ("*x\r\n", "invalid multibulk length"),
      ("*1025\r\n", "invalid multibulk length"),
      ("*-99999999999999999999999\r\n", "invalid multibulk length"),
      ("*1\r\n$-1\r\n", "invalid bulk length"),
      ("*1\r\n$1048577\r\n", "invalid bulk length"),
      ("*1\r\n$1\r\nxyz", "invalid bulk length"),
      ("*2\r\n\(word)PING\r\n", "expected '$', got 'P'"),
      ("*5\r\n" + String(repeating: million, count: 5), "too big request"),
      (String(repeating: "x ", count: 1025) + "\r\n", "too many words"),
      (String(repeating: "x", count: 1 << 20), "too big inline request"),
    ]
    for (text, name) in errors {
      let reply = try server.send(Array((text + "PING\r\n").utf8))
      #expect(reply == "-ERR Protocol error: \(name)\r\n", "\(text.prefix(40))")
      try other.send("PING\r\n")
      #expect(try other.read(7) == "+PONG\r\n")
    }
    #expect(try server.counters()["connections"] == 2)
    #expect(server.end() == 0)
  }

  @Test("requests and protocol errors sent byte by byte get the same replies")
  func pieces() throws {
    let server = try TestServer()
    for (text, reply) in [
      ("*2\r\n$4\r\nECHO\r\n$2\r\n\r\n\r\nQUIT\r\n", "$2\r\n\r\n\r\n+OK\r\n"),
      ("PING\r\n*1\r\n$x", "+PONG\r\n-ERR Protocol error: invalid bulk length\r\n"),
    ] {
      let client = try Client(server.port)
      for byte in text.utf8 { try client.send([byte]) }
      #expect(try client.read(1000) == reply)
    }
    #expect(server.end() == 0)
  }
}
