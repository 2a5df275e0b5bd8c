import Foundation
import Testing

@Suite("resp-server, its beginning and end", .serialized)
struct LifetimeTests {
  @Test("a signal ends it in order as soon as it says that it listens, and so do two")
  func signals() throws {
    for signals in [[SIGINT], [SIGTERM], [SIGINT, SIGTERM], [SIGTERM, SIGINT, SIGTERM]] {
      for _ in 0..<10 {
        #expect(try TestServer().end(by: signals) == 0, "\(signals)")
      }
    }
  }

  @Test("signals end it in order while clients are served")
  func signalsWhileServing() throws {
    for _ in 0..<10 {
      let server = try TestServer()
      let clients = try (0..<20).map { _ in try Client(server.port) }
      for client in clients { try client.send("SUBSCRIBE a\r\n") }
      for client in clients { #expect(try client.read(1) == "*") }
      #expect(server.end(by: [SIGINT, SIGTERM]) == 0)
    }
  }

  @Test("a port that is in use is refused with what to do, and an address that is none")
  func refusals() throws {
    let (socket, port) = try Client.listeningSocket()
    defer { close(socket) }
    let inUse = try TestServer.refusal(["--port", "\(port)"])
    #expect(
      inUse.said == "resp-server: 127.0.0.1:\(port): address already in use; choose another by "
        + "--port, or 0 for any that is free\n"
    )
    #expect(inUse.code == 1)
    // One like it, which would take half of its clients.
    let other = try TestServer()
    let shared = try TestServer.refusal(["--port", "\(other.port)"])
    #expect(shared.said.contains("address already in use"))
    #expect(shared.code == 1)
    #expect(other.end() == 0)
    // Its port is free again at once, whoever was connected.
    let none = try TestServer.refusal(["--address", "nowhere"])
    #expect(none.said == "resp-server: --address nowhere: invalid argument\n")
    #expect(none.code == 1)
  }
}
