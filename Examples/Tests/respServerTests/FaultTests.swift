import Foundation
import RespProtocol
import Testing

@Suite("resp-server, what is no request", .serialized)
struct FaultTests {
  @Test("what is no request, or too big, is told so, and the server goes on")
  func faults() throws {
    let server = try TestServer()
    let big = Array("*1\r\n$2000000\r\n".utf8)
    #expect(try server.send(big) == "-ERR Protocol error: invalid bulk length\r\n")
    let line = [UInt8](repeating: 97, count: 100_000)
    #expect(try server.send(line) == "-ERR Protocol error: too big inline request\r\n")
    // What came before it is served.
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

  @Test("of 100,000 random inputs each request is answered, and each fault told, on its connection")
  func fuzz() throws {
    let server = try TestServer()
    var (random, parser, faults) = (RandomInput(seed: 5), RequestParser(), 0)
    for _ in 0..<10_000 {
      var bytes: [UInt8] = []
      for _ in 0..<10 { random.append(to: &bytes) }
      let (count, fault) = Self.expected(of: bytes, &parser)
      faults += fault == nil ? 0 : 1
      let client = try Client(server.port)
      // It may be closed while this sends.
      try? client.send(bytes)
      client.endSending()
      let said = try client.bytes(1 << 16)
      try #require(Self.replies(said) == count, "\(bytes)")
      let last = fault.map { "-ERR Protocol error: \($0)\r\n" } ?? ""
      try #require(said.suffix(last.utf8.count) == Array(last.utf8)[...], "\(bytes)")
    }
    #expect(faults > 1000)
    #expect(try server.counters()["connections"] == 1)
    #expect(server.end() == 0)
  }

  /// How many replies `bytes` get, and the fault that ends them, if one does.
  private static func expected(
    of bytes: [UInt8],
    _ parser: inout RequestParser
  ) -> (count: Int, fault: String?) {
    bytes.withUnsafeBytes { bytes in
      var (count, served) = (0, 0)
      while served < bytes.count {
        switch parser.parse(UnsafeRawBufferPointer(rebasing: bytes[served...])) {
        case .incomplete: return (count, nil)
        case .fault(let what): return (count + 1, what)
        case .request(let length):
          served += length
          count += parser.arguments.isEmpty ? 0 : 1
        }
      }
      return (count, nil)
    }
  }

  /// How many replies these are; nil if they are none, or not whole.
  private static func replies(_ bytes: [UInt8]) -> Int? {
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

  @Test("each fault is told by its name, once, and ends the connection, others not")
  func names() throws {
    let server = try TestServer(["--loops", "1"])
    let other = try Client(server.port)
    let word = "$1\r\nx\r\n"
    let million = "$1000000\r\n\(String(repeating: "v", count: 1_000_000))\r\n"
    let faults = [
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
    for (text, name) in faults {
      let said = try server.send(Array((text + "PING\r\n").utf8))
      #expect(said == "-ERR Protocol error: \(name)\r\n", "\(text.prefix(40))")
      try other.send("PING\r\n")
      #expect(try other.read(7) == "+PONG\r\n")
    }
    #expect(try server.counters()["connections"] == 2)
    #expect(server.end() == 0)
  }

  @Test("requests and faults that come byte by byte are taken as in one piece")
  func pieces() throws {
    let server = try TestServer()
    for (text, said) in [
      ("*2\r\n$4\r\nECHO\r\n$2\r\n\r\n\r\nQUIT\r\n", "$2\r\n\r\n\r\n+OK\r\n"),
      ("PING\r\n*1\r\n$x", "+PONG\r\n-ERR Protocol error: invalid bulk length\r\n"),
    ] {
      let client = try Client(server.port)
      for byte in text.utf8 { try client.send([byte]) }
      #expect(try client.read(1000) == said)
    }
    #expect(server.end() == 0)
  }
}
