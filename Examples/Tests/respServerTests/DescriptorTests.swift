import Foundation
import Testing

@Suite("resp-server without free descriptors", .serialized)
struct DescriptorTests {
  @Test(
    "clients above the descriptor limit wait, and are served as others disconnect",
    arguments: [1, 2, 4]
  )
  func waiting(_ loops: Int) throws {
    // The retry timer never fires, so a waiting client is accepted only when another
    // client disconnects.
    let server = try TestServer(["--loops", "\(loops)", "--retry", "3600"], descriptors: 64)
    for _ in 0..<10 {
      var clients = try (0..<192).map { _ in try Client(server.port) }
      for client in clients { try client.send("PING\r\n") }
      while !clients.isEmpty {
        let ready = try Client.readable(clients)
        for index in ready { #expect(try clients[index].read(7) == "+PONG\r\n") }
        for index in ready.reversed() { clients.remove(at: index).close() }
      }
    }
    #expect(try server.counters()["accept_pauses"] ?? 0 > 0)
    #expect(server.end() == 0)
  }

  @Test("connected clients are served without free descriptors, and new clients once some are free")
  func limit() throws {
    let server = try TestServer(["--loops", "1", "--retry", "1"])
    let connected = try connectedClient(of: server)
    try server.limitDescriptors(to: 3)
    let late = try Client(server.port)
    try late.send("PING\r\n")
    try waitForPause(of: server, asking: connected)
    try server.limitDescriptors(to: 64)
    #expect(try late.read(7) == "+PONG\r\n")
    #expect(server.end() == 0)
  }

  @Test("a signal ends a server without free descriptors", arguments: [1, 2, 4])
  func signals(_ loops: Int) throws {
    for number in [SIGINT, SIGTERM] {
      let server = try TestServer(["--loops", "\(loops)"], descriptors: 64)
      let connected = try connectedClient(of: server)
      let others = try (0..<192).map { _ in try Client(server.port) }
      try waitForPause(of: server, asking: connected)
      #expect(server.end(by: [number]) == 0)
      withExtendedLifetime(others) {}
    }
  }

  /// Returns a client that the server has accepted.
  private func connectedClient(of server: TestServer) throws -> Client {
    let client = try Client(server.port)
    try client.send("PING\r\n")
    #expect(try client.read(7) == "+PONG\r\n")
    return client
  }

  /// Polls the server's counters until one of its loops has stopped accepting. Each
  /// reply shows that the loop of `client` is still running.
  private func waitForPause(of server: TestServer, asking client: Client) throws {
    var pauses = 0
    for _ in 0..<100_000 where pauses == 0 { pauses = try client.counters()["accept_pauses"] ?? 0 }
    try #require(pauses > 0)
  }
}
