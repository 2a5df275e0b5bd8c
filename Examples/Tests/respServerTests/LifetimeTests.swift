import Foundation
import Testing

@Suite("resp-server: start and exit", .serialized)
struct LifetimeTests {
  @Test("one or more signals right after the server's first line end it with code 0")
  func signals() throws {
    for signals in [[SIGINT], [SIGTERM], [SIGINT, SIGTERM], [SIGTERM, SIGINT, SIGTERM]] {
      for _ in 0..<10 {
        #expect(try TestServer().end(by: signals) == 0, "\(signals)")
      }
    }
  }

  @Test("signals end the server with code 0 while it serves clients")
  func signalsWhileServing() throws {
    for _ in 0..<10 {
      let server = try TestServer()
      let clients = try (0..<20).map { _ in try Client(server.port) }
      for client in clients { try client.send("SUBSCRIBE a\r\n") }
      for client in clients { #expect(try client.read(1) == "*") }
      #expect(server.end(by: [SIGINT, SIGTERM]) == 0)
    }
  }

  @Test("a port in use and an invalid address are reported, and the server exits with code 1")
  func startFailures() throws {
    let (socket, port) = try Client.listeningSocket()
    defer { close(socket) }
    let inUse = try TestServer.failedStart(["--port", "\(port)"])
    let prefix = "resp-server: EventLoop.listen on 127.0.0.1:\(port): address already in use"
    #expect(inUse.errors.hasPrefix(prefix), "\(inUse.errors)")
    #expect(inUse.code == 1)
    // Without this error, a second resp-server at the same port would get half of
    // the clients.
    let other = try TestServer()
    let shared = try TestServer.failedStart(["--port", "\(other.port)"])
    #expect(shared.errors.contains("address already in use"))
    #expect(shared.code == 1)
    #expect(other.end() == 0)
    let invalid = try TestServer.failedStart(["--address", "nowhere"])
    #expect(invalid.errors.hasPrefix("resp-server: EventLoop.listen on nowhere:6379"))
    #expect(invalid.errors.contains("invalid argument"))
    #expect(invalid.code == 1)
  }
}
