import Foundation
import Testing

@Suite("resp-server", .serialized)
struct RespServerTests {
  @Test("redis-cli gets the same replies as from Redis")
  func commands() throws {
    let server = try TestServer()
    #expect(try server.cli("ping") == ["PONG"])
    #expect(try server.cli("echo", "hello, world") == ["hello, world"])
    #expect(try server.cli("set", "n", "41") == ["OK"])
    #expect(try server.cli("incr", "n") == ["42"])
    #expect(try server.cli("get", "n") == ["42"])
    #expect(try server.cli("set", "word", "x") == ["OK"])
    #expect(try server.cli("incr", "word") == ["ERR value is not an integer or out of range"])
    #expect(try server.cli("del", "n", "word", "none") == ["2"])
    #expect(try server.cli("get", "n") == [])
    #expect(try server.cli("expire", "n", "1") == ["0"])
    #expect(try server.cli("set", "gone", "x") == ["OK"])
    #expect(try server.cli("expire", "gone", "0") == ["1"])
    #expect(try server.cli("get", "gone") == [])
    #expect(try server.cli("get") == ["ERR wrong number of arguments for 'get' command"])
    #expect(try server.cli("nonsense") == ["ERR unknown command 'NONSENSE'"])
    #expect(server.end() == 0)
  }

  @Test("a key expires unless it was set again, and INCR does not change its expiry")
  func expiry() throws {
    let server = try TestServer()
    let began = ContinuousClock.now
    for key in ["counted", "set", "last"] {
      #expect(try server.cli("set", key, "1") == ["OK"])
      #expect(try server.cli("expire", key, "1") == ["1"])
    }
    #expect(try server.cli("incr", "counted") == ["2"])
    #expect(try server.cli("set", "set", "x") == ["OK"])
    let client = try Client(server.port)
    var reply = ""
    while reply != "$-1\r\n" {
      try client.send("GET last\r\n")
      reply = try client.read(5)
      if reply == "$1\r\n1" { _ = try client.read(2) }
      try #require(began.duration(to: .now) < .seconds(15), "\(reply)")
    }
    #expect(began.duration(to: .now) >= .seconds(1))
    #expect(try server.cli("get", "counted") == [])
    #expect(try server.cli("get", "set") == ["x"])
    #expect(server.end() == 0)
  }

  @Test("a client that unsubscribes gets no more messages, and can use other commands again")
  func unsubscribes() throws {
    let server = try TestServer()
    let client = try Client(server.port)
    func reply(_ kind: String, _ channel: String, _ count: Int) -> String {
      "*3\r\n$\(kind.utf8.count)\r\n\(kind)\r\n$1\r\n\(channel)\r\n:\(count)\r\n"
    }
    func expectReply(_ reply: String, to request: String) throws {
      try client.send(request + "\r\n")
      #expect(try client.read(reply.utf8.count) == reply)
    }
    try expectReply(
      reply("subscribe", "a", 1) + reply("subscribe", "b", 2) + reply("subscribe", "c", 3),
      to: "SUBSCRIBE a b c"
    )
    try expectReply(reply("unsubscribe", "b", 2), to: "UNSUBSCRIBE b")
    #expect(try server.cli("publish", "b", "x") == ["0"])
    #expect(try server.cli("publish", "a", "x") == ["1"])
    try expectReply(
      "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n"
        + reply("unsubscribe", "b", 2) + reply("unsubscribe", "c", 1),
      to: "UNSUBSCRIBE b c"
    )
    try expectReply("-ERR GET is not allowed while subscribed\r\n", to: "GET a")
    // UNSUBSCRIBE without arguments, first with a remaining subscription and then
    // without.
    try expectReply(reply("unsubscribe", "a", 0), to: "UNSUBSCRIBE")
    try expectReply("*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n", to: "UNSUBSCRIBE")
    #expect(try server.cli("publish", "a", "x") == ["0"])
    try expectReply("$-1\r\n", to: "GET a")
    #expect(server.end() == 0)
  }

  @Test("published messages reach the clients of every loop, in order")
  func publishes() throws {
    let server = try TestServer()
    let listeners = try (0..<8).map { _ in try server.listen("subscribe", "news") }
    for listener in listeners { _ = listener.nextLine() }
    while try server.cli("publish", "news", "first") != ["8"] {}
    #expect(try server.cli("publish", "news", "second") == ["8"])
    for listener in listeners {
      var lines: [String] = []
      while lines.last != "second" {
        lines.append(try #require(listener.nextLine(), "redis-cli ended after \(lines)"))
      }
      #expect(lines.contains("first"))
    }
    #expect(server.end() == 0)
  }

  @Test("redis-benchmark succeeds, and coalescing sends at least 8 pipelined replies per write")
  func benchmark() throws {
    for options in [[], ["--no-coalescing"]] {
      let server = try TestServer(options)
      let lines = try server.benchmark("-t", "set,get", "-n", "20000", "-c", "50", "-P", "1")
      #expect(lines.count == 3, "\(lines)")
      let before = try server.counters()
      let piped = try server.benchmark("-t", "set,get", "-n", "64000", "-c", "50", "-P", "16")
      #expect(piped.count == 3, "\(piped)")
      let after = try server.counters()
      let replies = (after["replies"] ?? 0) - (before["replies"] ?? 0)
      let writes = (after["writes"] ?? 0) - (before["writes"] ?? 0)
      #expect(replies >= 128_000)
      if options.isEmpty {
        #expect(replies >= 8 * writes, "\(replies) replies, \(writes) writes")
      } else {
        #expect(writes >= replies - 2, "\(replies) replies, \(writes) writes")
      }
      #expect(server.end() == 0)
    }
  }

  @Test("numbers at the limits of their range are accepted or refused without a crash")
  func numbers() throws {
    let server = try TestServer()
    for number in ["-9223372036854775808", "9223372036854775807", "9223372036854775808", "", "-"] {
      let outcome = try server.cli("expire", "k", number)
      #expect(outcome == ["ERR value is not an integer or out of range"], "\(number)")
    }
    for number in ["-4294967296", "4294967296", "+1"] {
      #expect(try server.cli("expire", "k", number) == ["0"], "\(number)")
    }
    for number in [
      "9223372036854775807", "9223372036854775808", "-9223372036854775809", "+5", "007", "-0",
    ] {
      #expect(try server.cli("set", "n", number) == ["OK"])
      #expect(try server.cli("incr", "n") == ["ERR value is not an integer or out of range"])
    }
    #expect(try server.cli("set", "n", "-9223372036854775808") == ["OK"])
    #expect(try server.cli("incr", "n") == ["-9223372036854775807"])
    #expect(server.end() == 0)
  }

  @Test("a line break in a command's name does not end the line of the reply")
  func lineEnds() throws {
    let server = try TestServer()
    let name = "*1\r\n$9\r\nA\r\n+OK\r\nB\r\n"
    let quit = "QUIT\r\n"
    #expect(
      try server.send(Array((name + quit).utf8)) == "-ERR unknown command 'A??+OK??B'\r\n+OK\r\n"
    )
    let subscribed = try server.send(Array(("SUBSCRIBE a\r\n" + name + quit).utf8))
    #expect(
      subscribed == "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"
        + "-ERR A??+OK??B is not allowed while subscribed\r\n+OK\r\n"
    )
    #expect(server.end() == 0)
  }

  @Test("every command sends one reply for any arguments")
  func arguments() throws {
    let server = try TestServer()
    let names = ["GET", "SET", "INCR", "PING", "ECHO", "DEL", "EXPIRE", "PUBLISH", "INFO", "NONE"]
    let words = [
      "", "k", "n", "0", "-1", "-0", "+1", "-9223372036854775808", "9223372036854775807",
      "9223372036854775808", "4294967296", "1e9", " 1", "\r\n", "\0", "\u{ff}",
    ]
    var state = UInt64(11)
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
    for _ in 0..<50 {
      var text = ""
      for index in 0..<100 {
        let request = [names[random(names.count)]] + (0..<random(4)).map { _ in words[random(16)] }
        text += "*\(request.count)\r\n"
        for word in request { text += "$\(word.utf8.count)\r\n\(word)\r\n" }
        // Marks the end of the request's reply.
        text += "ECHO <\(index)>\r\n"
      }
      let replies = try server.send(Array((text + "QUIT\r\n").utf8))
      for index in 0..<100 { try #require(replies.contains("\r\n<\(index)>\r\n"), "\(text)") }
      try #require(replies.hasSuffix("+OK\r\n"))
    }
    #expect(server.end() == 0)
  }
}
