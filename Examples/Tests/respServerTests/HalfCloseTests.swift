import Foundation
import Testing

@Suite("resp-server: half-closed connections", .serialized)
struct HalfCloseTests {
  @Test(
    "a client that ends sending gets every reply before the connection closes",
    arguments: [[], ["--no-coalescing"]]
  )
  func replies(_ options: [String]) throws {
    let server = try TestServer(options)
    let client = try Client(server.port)
    let value = String(repeating: "v", count: 20_000)
    try client.send("SET k \(value)\r\n")
    // 40 MB of replies, more than the server buffers, and half a request.
    let count = 2000
    try client.send(String(repeating: "GET k\r\nINCR n\r\n", count: count) + "*1\r\n$4\r\nPI")
    client.endSending()
    #expect(try client.read(5) == "+OK\r\n")
    for index in 1...count {
      let reply = "$20000\r\n\(value)\r\n:\(index)\r\n"
      try #require(try client.read(reply.utf8.count) == reply, "\(index)")
    }
    #expect(try client.read(1) == "")
    // The remaining connection is that of `counters()`.
    #expect(try server.counters()["connections"] == 1)
    #expect(server.end() == 0)
  }

  @Test("a client that ends sending without pending replies is disconnected")
  func nothing() throws {
    let server = try TestServer()
    for text in ["", "PING\r\n", "*1\r\n$4\r\nPI"] {
      let client = try Client(server.port)
      try client.send(text)
      client.endSending()
      #expect(try client.read(100) == (text == "PING\r\n" ? "+PONG\r\n" : ""))
    }
    #expect(server.end() == 0)
  }

  @Test("a paused publisher that ends sending still publishes every message")
  func pausedPublisher() throws {
    let server = try TestServer(["--loops", "2", "--backlog", "0"])
    let subscriber = try Client(server.port)
    try subscriber.send("SUBSCRIBE c\r\n")
    #expect(try subscriber.read(30) == "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n")
    let publisher = try Client(server.port)
    let count = 500
    try publisher.send(String(repeating: "PUBLISH c x\r\n", count: count))
    publisher.endSending()
    #expect(try publisher.read(10_000) == String(repeating: ":1\r\n", count: count))
    let message = "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n"
    let all = String(repeating: message, count: count)
    #expect(try subscriber.read(all.utf8.count) == all)
    #expect(try server.counters()["publisher_pauses"] ?? 0 > 0)
    #expect(server.end() == 0)
  }

  @Test("a subscriber that ends sending gets every earlier message and no later messages")
  func subscriber() throws {
    let server = try TestServer(["--loops", "1"])
    let (subscriber, publisher) = (try Client(server.port), try Client(server.port))
    try subscriber.send("SUBSCRIBE c\r\n")
    #expect(try subscriber.read(30) == "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n")
    let word = "$500000\r\n\(String(repeating: "v", count: 500_000))\r\n"
    var published = 0
    func publishes() throws -> Bool {
      try publisher.send("*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n\(word)")
      guard try publisher.read(4) == ":1\r\n" else { return false }
      published += 1
      return true
    }
    // 10 MB of unread messages, more than the socket buffers take.
    for _ in 0..<20 { #expect(try publishes()) }
    subscriber.endSending()
    while try publishes() { try #require(published < 100) }
    let message = "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n\(word)"
    var received = 0
    while case let text = try subscriber.read(message.utf8.count), !text.isEmpty {
      try #require(text == message)
      received += 1
    }
    // The server may have unsubscribed the client before it delivered the last message.
    #expect((max(20, published - 1)...published).contains(received), "\(received) of \(published)")
    #expect(server.end() == 0)
  }
}
