import Foundation
import Testing

@testable import resp_server

@Suite("resp-server, its publishers", .serialized)
struct PublishTests {
  @Test("a publisher waits above the mark, and is named once when half of it has come")
  func backlog() {
    var backlog = Backlog(most: 10)
    let waits = [(10, 0), (1, 1), (1, 0), (1, 1)].map { backlog.add($0, from: $1) }
    #expect(waits == [false, true, true, true])
    let released = [7, 1, 5].map { backlog.didDeliver($0) }
    #expect(released == [[], [0, 1], []])
    #expect(backlog.bytes == 0)
    // One that is above the mark by itself.
    let waitsForIt = backlog.add(20, from: 0)
    #expect(waitsForIt)
    let last = backlog.didDeliver(20)
    #expect(last == [0])
  }

  @Test(
    "publishers that are held go on: every message comes, those of each in order",
    arguments: [["--loops", "1"], ["--loops", "2"], ["--loops", "2", "--no-coalescing"]]
  )
  func holds(_ options: [String]) throws {
    // One message under way is too much.
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
    #expect(try server.counters()["holds"] ?? 0 >= count)
    #expect(server.end() == 0)
  }

  @Test("a publisher that is held can go, and the server can end")
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

  @Test("a client has as many subscriptions as are allowed, and is told of what is refused")
  func subscriptions() throws {
    let server = try TestServer(["--loops", "1", "--subscriptions", "2"])
    let client = try Client(server.port)
    func answers(_ request: String, _ answer: String) throws {
      try client.send(request + "\r\n")
      #expect(try client.read(answer.utf8.count) == answer)
    }
    func told(_ what: String, _ channel: String, _ count: Int) -> String {
      "*3\r\n$\(what.utf8.count)\r\n\(what)\r\n$1\r\n\(channel)\r\n:\(count)\r\n"
    }
    let refusal = "-ERR too many subscriptions: 2 at most\r\n"
    try answers(
      "SUBSCRIBE a b c a",
      told("subscribe", "a", 1) + told("subscribe", "b", 2) + refusal + told("subscribe", "a", 2)
    )
    #expect(try server.cli("publish", "c", "x") == ["0"])
    try answers("UNSUBSCRIBE a", told("unsubscribe", "a", 1))
    try answers("SUBSCRIBE c d", told("subscribe", "c", 2) + refusal)
    #expect(try server.cli("publish", "c", "x") == ["1"])
    #expect(try client.read(31).hasSuffix("$1\r\nx\r\n"))
    try answers("UNSUBSCRIBE b", told("unsubscribe", "b", 1))
    let name = String(repeating: "n", count: 1025)
    try answers("SUBSCRIBE \(name)", "-ERR too long name of a channel: 1024 bytes at most\r\n")
    try answers("QUIT", "+OK\r\n")
    #expect(server.end() == 0)
    let none = try TestServer.refusal(["--subscriptions", "-1"])
    #expect(none.said == "resp-server: --subscriptions: not below 0\n")
    #expect(none.code == 2)
  }
}
