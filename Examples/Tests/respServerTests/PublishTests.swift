import Foundation
import Testing

@testable import resp_server

@Suite("resp-server: publishers", .serialized)
struct PublishTests {
  @Test("publishers wait above the backlog's limit, and resume once it falls to half")
  func backlog() {
    var backlog = Backlog(limit: 10)
    let waits = [(10, 0), (1, 1), (1, 0), (1, 1)].map { backlog.add($0, from: $1) }
    #expect(waits == [false, true, true, true])
    let resumed = [7, 1, 5].map { backlog.didDeliver($0) }
    #expect(resumed == [[], [0, 1], []])
    #expect(backlog.bytes == 0)
    // A single message exceeds the limit.
    let waitsForIt = backlog.add(20, from: 0)
    #expect(waitsForIt)
    let last = backlog.didDeliver(20)
    #expect(last == [0])
  }

  @Test(
    "subscribers receive every message of paused publishers, in each publisher's order",
    arguments: [["--loops", "1"], ["--loops", "2"], ["--loops", "2", "--no-coalescing"]]
  )
  func pauses(_ options: [String]) throws {
    // A single undelivered message exceeds this limit.
    let server = try TestServer(options + ["--backlog", "1"])
    let subscribers = try (0..<4).map { _ in try Client(server.port) }
    for subscriber in subscribers {
      try subscriber.send("SUBSCRIBE c\r\n")
      #expect(try subscriber.read(30) == "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n")
    }
    let publishers = try (0..<4).map { _ in try Client(server.port) }
    let count = 1000
    for (name, publisher) in publishers.enumerated() {
      let requests = (0..<count).map { "PUBLISH c \(name):\(1000 + $0)\r\n" }
      try publisher.send(requests.joined() + "PING\r\n")
    }
    for publisher in publishers {
      let replies = String(repeating: ":4\r\n", count: count) + "+PONG\r\n"
      #expect(try publisher.read(replies.utf8.count) == replies)
    }
    for subscriber in subscribers {
      var next = [Int](repeating: 1000, count: publishers.count)
      for _ in 0..<count * publishers.count {
        let message = try subscriber.read(36)
        let words = message.split(whereSeparator: \.isNewline).last?.split(separator: ":")
        let numbers = try #require(words).compactMap { Int($0) }
        try #require(numbers.count == 2, "\(message)")
        try #require(numbers[1] == next[numbers[0]], "\(message)")
        next[numbers[0]] += 1
      }
    }
    #expect(try server.counters()["publisher_pauses"] ?? 0 >= count)
    #expect(server.end() == 0)
  }

  @Test("paused publishers can disconnect, and the server can end while publishers are paused")
  func ends() throws {
    let server = try TestServer(["--backlog", "0"])
    for _ in 0..<20 {
      let clients = try (0..<8).map { _ in try Client(server.port) }
      for client in clients[..<4] { try client.send("SUBSCRIBE c\r\n") }
      for client in clients[4...] {
        try client.send(String(repeating: "PUBLISH c x\r\n", count: 2000))
      }
    }
    #expect(try server.cli("ping") == ["PONG"])
    let last = try Client(server.port)
    try last.send("SUBSCRIBE c\r\n" + String(repeating: "PING\r\n", count: 100))
    let publisher = try Client(server.port)
    try publisher.send(String(repeating: "PUBLISH c x\r\n", count: 2000))
    #expect(server.end() == 0)
  }

  @Test("subscriptions above the limit and long channel names get an error reply")
  func subscriptions() throws {
    let server = try TestServer(["--loops", "1", "--subscriptions", "2"])
    let client = try Client(server.port)
    func expectReply(_ reply: String, to request: String) throws {
      try client.send(request + "\r\n")
      #expect(try client.read(reply.utf8.count) == reply)
    }
    func reply(_ kind: String, _ channel: String, _ count: Int) -> String {
      "*3\r\n$\(kind.utf8.count)\r\n\(kind)\r\n$1\r\n\(channel)\r\n:\(count)\r\n"
    }
    let refusal = "-ERR too many subscriptions: the limit is 2\r\n"
    try expectReply(
      reply("subscribe", "a", 1) + reply("subscribe", "b", 2) + refusal
        + reply("subscribe", "a", 2),
      to: "SUBSCRIBE a b c a"
    )
    #expect(try server.cli("publish", "c", "x") == ["0"])
    try expectReply(reply("unsubscribe", "a", 1), to: "UNSUBSCRIBE a")
    try expectReply(reply("subscribe", "c", 2) + refusal, to: "SUBSCRIBE c d")
    #expect(try server.cli("publish", "c", "x") == ["1"])
    #expect(try client.read(31).hasSuffix("$1\r\nx\r\n"))
    try expectReply(reply("unsubscribe", "b", 1), to: "UNSUBSCRIBE b")
    let name = String(repeating: "n", count: 1025)
    try expectReply(
      "-ERR channel name too long: the limit is 1024 bytes\r\n",
      to: "SUBSCRIBE \(name)"
    )
    try expectReply("+OK\r\n", to: "QUIT")
    #expect(server.end() == 0)
    let invalid = try TestServer.failedStart(["--subscriptions", "-1"])
    #expect(
      invalid.errors
        == "resp-server: --subscriptions must be at least 0, got '-1'; see resp-server --help\n"
    )
    #expect(invalid.code == 2)
  }
}
