import Foundation
import Testing

@Suite("metrics-server", .serialized)
struct MetricsServerTests {
  @Test("a scrape has the histograms of all loops, in the format of Prometheus")
  func scrape() throws {
    let (program, port) = try started()
    let (head, body) = try reply(to: "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", at: port)
    #expect(head.first == "HTTP/1.1 200 OK")
    #expect(head.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"))
    #expect(head.contains("Content-Length: \(body.utf8.count)"))
    for loop in ["main", "worker-0", "worker-1"] {
      let count = "looptransactions_tick_busy_seconds_count{loop=\"\(loop)\"} "
      #expect(body.contains("\n" + count), "\(loop)")
    }
    #expect(body.contains("\nlooptransactions_busy_seconds_total{loop=\"main\"} "))
    #expect(body.hasSuffix("\n"))
    try end(program)
  }

  @Test("a request that arrives in pieces gets one reply")
  func pieces() throws {
    let (program, port) = try started()
    let client = try Client(port)
    for piece in ["GET /met", "rics HTTP/1.1\r", "\n\r", "\n"] { try client.send(piece) }
    let text = try client.read(100_000)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(text.components(separatedBy: "HTTP/1.1").count == 2)
    try end(program)
  }

  @Test(
    "a request that cannot be served gets the status that says why",
    arguments: [
      ("GET / HTTP/1.1\r\n\r\n", "404 Not Found"),
      ("POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
      ("\r\n\r\n", "400 Bad Request"),
      ("GET /metrics\r\n\r\n", "400 Bad Request"),
      (String(repeating: "x", count: 9000), "431 Request Header Fields Too Large"),
    ]
  )
  func refusals(_ request: String, _ status: String) throws {
    let (program, port) = try started()
    let head = try reply(to: request, at: port).head
    #expect(head.first == "HTTP/1.1 \(status)")
    try end(program)
  }

  @Test("a request is served beside slow clients, of which the oldest are disconnected")
  func slowClients() throws {
    let (program, port) = try started()
    let clients = try (0..<60).map { _ in
      let client = try Client(port)
      try client.send("G")
      return client
    }
    let head = try reply(to: "GET /metrics HTTP/1.1\r\n\r\n", at: port).head
    #expect(head.first == "HTTP/1.1 200 OK")
    for client in clients[...28] { #expect(try client.read(1) == "") }
    try clients[59].send("ET /metrics HTTP/1.1\r\n\r\n")
    #expect(try clients[59].read(15) == "HTTP/1.1 200 OK")
    try end(program)
  }

  @Test("a port in use and an invalid port end the program with a message and a code")
  func startFailures() throws {
    let (socket, port) = try Client.listeningSocket()
    defer { close(socket) }
    let inUse = try TestProgram.run(TestProgram.built("metrics-server"), ["\(port)"])
    let prefix = "metrics-server: EventLoop.listen on 127.0.0.1:\(port): address already in use"
    #expect(inUse.errors.hasPrefix(prefix), "\(inUse.errors)")
    #expect(inUse.code == 1)
    let invalid = try TestProgram.run(TestProgram.built("metrics-server"), ["x"])
    #expect(invalid.errors == "metrics-server: PORT must be from 0 to 65535, got 'x'\n")
    #expect(invalid.code == 2)
  }

  private func reply(
    to request: String,
    at port: Int
  ) throws -> (head: [String], body: String) {
    let client = try Client(port)
    try client.send(request)
    let text = try client.read(1_000_000)
    let parts = text.components(separatedBy: "\r\n\r\n")
    return (parts[0].components(separatedBy: "\r\n"), parts.dropFirst().joined())
  }

  private func end(_ program: TestProgram) throws {
    kill(program.process.processIdentifier, SIGTERM)
    let output = program.finish()
    #expect(output.code == 0)
    #expect(output.errors == "")
  }

  private func started() throws -> (TestProgram, port: Int) {
    let (program, port) = try TestProgram.server("metrics-server")
    return (program, try #require(port))
  }
}
