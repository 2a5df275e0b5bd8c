import Foundation
import Testing

// Evaluated once, although each test of the suite has the condition.
private let canRun = canTest("redis-counter", "redis-server", isInstalled("redis-server"))

@Suite(
  "redis-counter",
  .enabled(if: canRun, "its library or redis-server is not installed"),
  .timeLimit(.minutes(5))
)
struct RedisTests {
  @Test("each number is added once, and an idle client does not wake", arguments: MainLoop.allCases)
  func adds(_ loop: MainLoop) throws {
    let server = try RedisServer()
    let client = try Client("redis-counter", [server.socket, "sum"], in: loop)
    try client.program.send((1...1000).map(String.init))
    while try client.line("total ") != "500500" {}
    try client.expectIdleSecond()
    try client.measure { number in
      try client.send("1")
      #expect(try client.line("total ") == "\(500_500 + number)")
    }
    #expect(
      try client.finish() == ["confirmed 1500, unknown 0, connections 1"]
    )
    #expect(try server.value("sum") == 501_000)
  }

  @Test("the commands of a tick are one write")
  func writes() throws {
    let server = try RedisServer()
    let client = try Client("redis-counter", [server.socket, "sum"], tracedIn: server.folder)
    try client.send("1")
    _ = try client.line("total ")
    try client.program.send(Array(repeating: "1", count: 1000))
    while try client.line("total ") != "1001" {}
    _ = try client.finish()
    let ticks = try client.writesInTicks(by: "write", beginningWith: "*3").dropFirst()
    print("redis-counter: 1000 numbers, writes of", ticks)
    // A write of up to 4 KB to a pipe is read at once.
    #expect(ticks.count == 1)
    for bytes in ticks { #expect(bytes.count == 1) }
  }

  // At the end of the stream the adapter reads, which frees the context, and must not write for
  // the same event. The server makes both ready while the client is stopped.
  @Test("a client survives one event to read and to write", arguments: MainLoop.allCases)
  func oneEvent(_ loop: MainLoop) throws {
    let server = try UnreadServer()
    let words = [server.path, "sum"]
    let client = try Client("redis-counter", words, in: loop, tracedIn: server.folder)
    repeat { try client.send("summary") } while try client.line("confirmed 0, ").hasSuffix(" 0")
    // 600 KB, more than the socket's buffers.
    for _ in 0..<20 {
      try client.program.send(Array(repeating: "1", count: 1000) + ["summary"])
      #expect(try client.line("confirmed 0, ") == "unknown 0, connections 1")
    }
    try client.suspend()
    try server.endStreamAndRead()
    client.resume()
    repeat {
      try client.send("summary")
    } while try client.line("confirmed 0, ").hasPrefix("unknown 0,")
    let summary = try #require(try client.finish().last)
    #expect(summary.hasPrefix("confirmed 0, unknown 20000, connections "))
    let events = try client.calls().filter { $0.contains("epoll_wait") }
    #expect(events.contains { $0.contains("{events=EPOLLIN|EPOLLOUT,") })
  }

  // The server dies with unread commands, so its socket reports an error. libuv then stops the
  // poll handle, and the adapter ignores the error.
  @Test("a server killed with unread commands is found again", arguments: MainLoop.allCases)
  func killed(_ loop: MainLoop) throws {
    let server = try RedisServer()
    let client = try Client("redis-counter", [server.socket, "sum"], in: loop)
    try client.send("1")
    _ = try client.line("total 1")
    server.suspend()
    // 600 KB, more than the socket's buffers. The answer to each summary is in a tick of its
    // own, so the client has written when it answers the next one.
    for _ in 0..<20 {
      try client.program.send(Array(repeating: "1", count: 1000) + ["summary"])
      #expect(try client.line("confirmed 1, ") == "unknown 0, connections 1")
    }
    server.kill9()
    try server.restart()
    try client.send("1")
    _ = try client.line("total 2")
    #expect(
      try client.finish() == ["confirmed 2, unknown 20000, connections 2"]
    )
    #expect(try server.value("sum") == 2)
  }

  @Test("numbers wait for a server that is not there")
  func absent() throws {
    let server = try RedisServer()
    server.kill9()
    let client = try Client("redis-counter", [server.socket, "sum"])
    try client.send("1", "2", "summary")
    #expect(try client.line("confirmed 0, ") == "unknown 0, connections 0")
    try server.restart()
    _ = try client.line("total 3")
    #expect(try client.finish().last == "confirmed 2, unknown 0, connections 1")
  }
}
