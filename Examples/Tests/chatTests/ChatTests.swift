import Foundation
import Testing

@Suite("chat", .serialized)
struct ChatTests {
  @Test("every other client gets each line in order, and lines of a tick share a write")
  func broadcast() throws {
    let (program, port) = try startedChat()
    var clients: [Client] = []
    for number in 1...4 {
      clients.append(try Client(port))
      for client in clients { try expect("guest\(number) joined, \(number) here\n", from: client) }
    }
    let count = 1000
    try clients[0].send((0..<count).map { "line \($0)\n" }.joined() + "half")
    let received = (0..<count).map { "guest1: line \($0)\n" }.joined()
    for client in clients[1...] { try expect(received, from: client) }
    try clients[3].send("one\n")
    for client in clients[..<3] { try expect("guest4: one\n", from: client) }
    clients[3].close()
    for client in clients[..<3] { try expect("guest4 left, 3 here\n", from: client) }
    kill(program.process.processIdentifier, SIGTERM)
    let output = program.finish()
    let writes = output.lines.first?.split(separator: " ").compactMap { Int($0) }.last ?? 0
    #expect(output.lines == ["4 clients, \(writes) writes"])
    // The 1000 lines may arrive in a few reads, but never in hundreds.
    #expect((19..<3 * count / 8).contains(writes))
    #expect(output.code == 0)
    #expect(output.errors == "")
  }

  @Test("a client that does not read is disconnected, and so is one that never ends its line")
  func limits() throws {
    let (program, port) = try startedChat()
    let (talker, silent) = (try Client(port), try Client(port))
    try expect("guest1 joined, 1 here\nguest2 joined, 2 here\n", from: talker)
    let line = String(repeating: "x", count: 4000) + "\n"
    // 40 MB, more than the socket buffers and the server keep for `silent`.
    for _ in 0..<10_000 { try talker.send(line) }
    try expect("guest2 left, 1 here\n", from: talker)
    withExtendedLifetime(silent) {}
    try talker.send(String(repeating: "x", count: 5000))
    #expect(try talker.read(1) == "")
    kill(program.process.processIdentifier, SIGINT)
    #expect(program.finish().code == 0)
  }

  @Test("a port in use and an invalid port end the program with a message and a code")
  func startFailures() throws {
    let (socket, port) = try Client.listeningSocket()
    defer { close(socket) }
    let inUse = try TestProgram.run(TestProgram.built("chat"), ["\(port)"])
    let prefix = "chat: EventLoop.listen on 127.0.0.1:\(port): address already in use"
    #expect(inUse.errors.hasPrefix(prefix), "\(inUse.errors)")
    #expect(inUse.code == 1)
    let invalid = try TestProgram.run(TestProgram.built("chat"), ["x"])
    #expect(invalid.errors == "chat: PORT must be from 0 to 65535, got 'x'\n")
    #expect(invalid.code == 2)
  }

  private func expect(_ text: String, from client: Client) throws {
    #expect(try client.read(text.utf8.count) == text)
  }

  private func startedChat() throws -> (TestProgram, port: Int) {
    let (program, port) = try TestProgram.server("chat")
    return (program, try #require(port))
  }
}
