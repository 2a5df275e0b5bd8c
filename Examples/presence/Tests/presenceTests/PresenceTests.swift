import Foundation
import Testing

@Suite("presence", .serialized, .timeLimit(.minutes(5)))
struct PresenceTests {
  // Clients of the killed node keep running and connect again. The new process has no states.
  @Test("a killed node rejoins with the newest states", arguments: [true, false])
  func rejoin(_ coalesces: Bool) throws {
    let redis = try RedisServer()
    let stays = try Node(of: redis, coalesces: coalesces)
    let killed = try Node(of: redis, coalesces: coalesces)
    let clients = try Clients(200, of: [stays, killed])
    try clients.send("start 500")
    try clients.makeChanges(200)
    killed.program.terminate()
    try clients.makeChanges(200)
    let rejoined = try Node(of: redis, port: killed.port, coalesces: coalesces)
    try clients.expectNewest(in: redis)
    withExtendedLifetime(rejoined) {}
  }

  @Test("changes that a killed Redis server has not confirmed are sent again")
  func redisKilled() throws {
    let redis = try RedisServer()
    let nodes = try (1...2).map { _ in try Node(of: redis) }
    let clients = try Clients(40, of: nodes)
    try clients.send("start 500")
    try clients.makeChanges(100)
    redis.suspend()
    // The clients see no change until the server has come back.
    try clients.send("views")
    _ = try clients.views()
    redis.kill9()
    try redis.restart()
    try clients.expectNewest(in: redis)
  }

  // The suspended node reads all changes of a client at once.
  @Test("a node passes on only the newest change of a user in a tick")
  func coalesced() throws {
    let redis = try RedisServer()
    let node = try Node(of: redis)
    let clients = try Clients(20, of: [node])
    kill(node.program.process.processIdentifier, SIGSTOP)
    try clients.send("measure", "start 100000")
    try clients.makeChanges(5000)
    try clients.send("stop")
    kill(node.program.process.processIdentifier, SIGCONT)
    try clients.expectNewest(in: redis)
    let counts = try node.end()
    print("presence: \(counts)")
    let changes = try clients.measured("changes")
    #expect(counts["lines"] ?? 0 < changes * 20 / 10)
    #expect(counts["writes"] ?? 0 < changes)
  }

  @Test("without coalescing, a node passes on each change by itself")
  func each() throws {
    let redis = try RedisServer()
    let node = try Node(of: redis, coalesces: false)
    let clients = try Clients(20, of: [node])
    try clients.send("measure", "start 1000")
    try clients.makeChanges(500)
    try clients.expectNewest(in: redis)
    let counts = try node.end()
    let changes = try clients.measured("changes")
    #expect(counts["changes"] == changes)
    #expect(counts["lines"] == changes * 20)
    #expect(try clients.measured("views") == changes * 20)
  }

  @Test("a usage error is reported")
  func usage() throws {
    for words in [
      ["node", "--port", "x"], ["clients", "--count", "3", "--team", "2"], ["other"], [],
    ] {
      let output = try TestProgram.run(TestProgram.built("presence"), words)
      #expect(output.code == 2)
      #expect(output.errors.hasSuffix("; see presence --help\n"))
    }
  }

  @Test("a limit of descriptors that the system refuses is reported")
  func descriptors() throws {
    let words = ["node", "--clients", "900000000"]
    let output = try TestProgram.run(TestProgram.built("presence"), words)
    #expect(output.code == 1)
    let start = "presence: 900000000 clients need 900000100 descriptors, but the limit is "
    #expect(output.errors.hasPrefix(start))
    #expect(output.errors.contains("setrlimit failed: Operation not permitted; raise the hard"))
  }
}
