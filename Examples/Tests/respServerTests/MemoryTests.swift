import Foundation
import Testing

@Suite("resp-server: memory", .serialized)
struct MemoryTests {
  @Test(
    "a client that does not read uses little memory, and gets every reply once it reads",
    arguments: [[], ["--no-coalescing"]]
  )
  func unread(_ options: [String]) throws {
    let server = try TestServer(options)
    let client = try Client(server.port)
    let value = String(repeating: "v", count: 20_000)
    try client.send("SET k \(value)\r\n")
    #expect(try client.read(5) == "+OK\r\n")
    // 200 MB of replies. The requests are small, so the server could read almost all
    // of them in one read.
    for _ in 0..<100 {
      try client.send(String(repeating: "GET k\r\nINCR n\r\n", count: 100))
    }
    for index in 1...10_000 {
      let reply = "$20000\r\n\(value)\r\n:\(index)\r\n"
      try #require(try client.read(reply.utf8.count) == reply, "\(index)")
    }
    let peak = try server.memory().peak
    #expect(peak < 60 << 20, "\(peak)")
    #expect(server.end() == 0)
  }

  @Test("a full store refuses SET and INCR until keys are deleted or expire")
  func fullStore() throws {
    // A key and its value take 256 bytes more than their own.
    let server = try TestServer(["--max-memory", "2000"])
    let client = try Client(server.port)
    func expect(_ reply: String, to request: String) throws {
      try client.send(request + "\r\n")
      #expect(try client.read(reply.utf8.count) == reply, "\(request)")
    }
    let full = "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
    let value = String(repeating: "v", count: 1700)
    try expect("+OK\r\n", to: "SET a \(value)")
    try expect(full, to: "SET b x")
    try expect(full, to: "INCR n")
    try expect("$-1\r\n", to: "GET b")
    try expect(full, to: "SET a \(value)\(value)")
    try expect("$1700\r\n\(value)\r\n", to: "GET a")
    try expect("+OK\r\n", to: "SET a y")
    try expect("+OK\r\n", to: "SET b x")
    try expect(":1\r\n", to: "INCR n")
    try expect(":2\r\n", to: "INCR n")
    #expect(try client.counters()["used_memory"] == 3 * 259)
    try expect(":3\r\n", to: "DEL a b n")
    try expect("+OK\r\n", to: "SET a \(value)")
    try expect(":1\r\n", to: "EXPIRE a 0")
    #expect(try client.counters()["used_memory"] == 0)
    #expect(server.end() == 0)
  }

  @Test("connected clients do not keep the memory of big requests and replies")
  func spare() throws {
    let server = try TestServer()
    let value = String(repeating: "v", count: 1_000_000)
    var clients: [Client] = []
    for _ in 0..<60 {
      let client = try Client(server.port)
      clients.append(client)
      try client.send("*2\r\n$4\r\nECHO\r\n$1000000\r\n\(value)\r\nPI")
      #expect(try client.read(1_000_012) == "$1000000\r\n\(value)\r\n")
    }
    let now = try server.memory().now
    #expect(now < 60 << 20, "\(now)")
    for client in clients {
      try client.send("NG\r\n")
      #expect(try client.read(7) == "+PONG\r\n")
    }
    #expect(server.end() == 0)
  }

  @Test("10,000 connections dropped in the middle of a request leave no memory or state behind")
  func drops() throws {
    let server = try TestServer()
    let atRest = try server.descriptors()
    // Fills the allocator's caches and pools before measuring.
    try drop(2_000, of: server, atRest)
    let before = try server.memory().now
    try drop(10_000, of: server, atRest)
    let growth = try server.memory().now - before
    // About 200 bytes per connection.
    #expect(growth < 2 << 20, "\(growth)")
    // The remaining connection is that of `counters()`.
    #expect(try server.counters()["connections"] == 1)
    #expect(try server.cli("publish", "a", "x") == ["0"])
    #expect(try server.cli("get", "k") == [])
    #expect(server.end() == 0)
  }

  @Test("thousands of concurrent connections are served, and leave no descriptor when dropped")
  func concurrentConnections() throws {
    // 200 descriptors remain free for other uses in the test and the server.
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let count = min(10_000, Int(limit.rlim_cur) - 200)
    let server = try TestServer()
    let atRest = try server.descriptors()
    let clients = try (0..<count).map { _ in try Client(server.port) }
    for client in clients { try client.send("SUBSCRIBE all\r\n") }
    for client in clients { #expect(try client.read(32).hasSuffix(":1\r\n")) }
    #expect(try server.counters()["connections"] == count + 1)
    #expect(try server.cli("publish", "all", "hello") == ["\(count)"])
    for client in clients { try #require(try client.read(37).hasSuffix("hello\r\n")) }
    for client in clients {
      try client.send("*2\r\n$4\r\nECHO\r\n$100\r\nhalf")
      client.close()
    }
    try #require(try becomesTrue { try server.descriptors() == atRest })
    #expect(try server.counters()["connections"] == 1)
    #expect(server.end() == 0)
  }

  /// Runs `count` clients that subscribe, receive a message and disconnect in the middle
  /// of a request. Returns when the server's number of descriptors has fallen to
  /// `atRest`.
  private func drop(_ count: Int, of server: TestServer, _ atRest: Int) throws {
    let publisher = try Client(server.port)
    try publisher.send("PING\r\n")
    #expect(try publisher.read(7) == "+PONG\r\n")
    for _ in 0..<count / 50 {
      try dropFifty(server, publisher)
      // The server unsubscribes a client before it closes the client's descriptor.
      try #require(try becomesTrue { try server.descriptors() == atRest + 1 })
    }
    publisher.close()
    try #require(try becomesTrue { try server.descriptors() == atRest })
  }

  private func dropFifty(_ server: TestServer, _ publisher: Client) throws {
    let clients = try (0..<50).map { _ in try Client(server.port) }
    defer { for client in clients { client.close() } }
    for client in clients { try client.send("PING\r\nSUBSCRIBE a b\r\n") }
    for client in clients {
      let reply = try client.read(67)
      try #require(reply.hasPrefix("+PONG\r\n") && reply.hasSuffix("b\r\n:2\r\n"), "\(reply)")
    }
    try publisher.send("PUBLISH a x\r\n")
    try #require(try publisher.read(5) == ":50\r\n")
    for (index, client) in clients.enumerated() {
      // Every second client disconnects without reading the message.
      if index.isMultiple(of: 2) { #expect(try client.read(31).hasSuffix("$1\r\nx\r\n")) }
      try client.send("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100\r\nhalf")
    }
  }

  /// Polls until `isMet` returns true, at most for a minute. The server does not report
  /// that it has closed a connection.
  private func becomesTrue(_ isMet: () throws -> Bool) throws -> Bool {
    let end = Date().addingTimeInterval(60)
    while Date() < end {
      if try isMet() { return true }
      sched_yield()
    }
    return false
  }
}
