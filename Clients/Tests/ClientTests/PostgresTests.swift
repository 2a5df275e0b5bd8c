import Foundation
import Testing

/// A PostgreSQL server with a Unix socket in its folder, as the user `postgres`.
private final class PostgresServer {
  let folder: ServerFolder
  private var program: TestProgram?

  var connection: String { "host=\(folder.url.path) user=postgres dbname=postgres" }

  init() throws {
    folder = try ServerFolder()
    if getuid() == 0 {
      _ = try TestProgram.run("chown", ["postgres", folder.url.path])
    }
    let made = try TestProgram.run(
      "env",
      Self.asPostgres + [
        Self.tool("initdb"), "-D", folder.path("data"), "-U", "postgres", "-A", "trust", "-N",
      ]
    )
    guard made.code == 0 else { throw Failed(output: made) }
    try start()
  }

  deinit { stop() }

  func start() throws {
    // The memory of a killed server is in use until its last process has ended.
    for _ in 0..<100 where program == nil {
      let started = try startServer(
        ["env"] + Self.asPostgres + [
          Self.tool("postgres"), "-D", folder.path("data"), "-k", folder.url.path,
          "-c", "listen_addresses=", "-c", "fsync=off",
        ]
      )
      while let line = started.nextLine() {
        guard line.contains("ready to accept connections") else { continue }
        program = started
        break
      }
    }
    if program == nil { throw POSIXError(.ECONNREFUSED) }
  }

  /// Stops the processes that serve clients, so that they do not answer.
  func suspend() throws {
    let process = try #require(program).process.processIdentifier
    let backends = try TestProgram.run("pgrep", ["-P", "\(process)", "-f", "postgres .local."])
    for backend in backends.lines.compactMap({ pid_t($0) }) { kill(backend, SIGSTOP) }
  }

  /// Kills all processes of the server.
  func kill9() throws {
    guard let program else { return }
    let process = program.process.processIdentifier
    // Otherwise it would start other processes. Foundation waits for those, too, because they
    // share a descriptor with it.
    kill(process, SIGSTOP)
    let children = try TestProgram.run("pgrep", ["-P", "\(process)"]).lines.compactMap { pid_t($0) }
    for child in children + [process] { kill(child, SIGKILL) }
    program.terminate()
    self.program = nil
  }

  private func stop() { try? kill9() }

  func sql(_ text: String) throws -> [String] {
    try TestProgram.run("psql", ["-At", "-d", connection, "-c", text]).lines
  }

  /// PostgreSQL does not run as root.
  private static var asPostgres: [String] {
    getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
  }

  private static func tool(_ name: String) -> String { "\(folder ?? "")/\(name)" }

  /// The newest installed version's folder of programs.
  static let folder: String? = {
    let versions =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let newest = versions.compactMap { Int($0) }.max()
    return newest.map { "/usr/lib/postgresql/\($0)/bin" }
  }()

  struct Failed: Error {
    let output: TestProgram.Output
  }
}

// Evaluated once, although each test of the suite has the condition.
private let canRun = canTest("postgres-notify", "postgresql", PostgresServer.folder != nil)

@Suite(
  "postgres-notify",
  .enabled(if: canRun, "its library or postgresql is not installed"),
  .timeLimit(.minutes(5))
)
struct PostgresTests {
  // The client waits without a query, so no result makes it look for notifications.
  @Test(
    "notifications arrive between queries, and an idle client does not wake",
    arguments: MainLoop.allCases
  )
  func notifications(_ loop: MainLoop) throws {
    let server = try PostgresServer()
    let client = try Client("postgres-notify", [server.connection, "lines"], in: loop)
    try client.program.send((1...100).map { "line \($0)" })
    for number in 1...100 { #expect(try client.line("got ") == "line \(number)") }
    try client.expectIdleSecond()
    _ = try server.sql("NOTIFY lines, 'from psql'")
    #expect(try client.line("got ") == "from psql")
    try client.measure { number in
      try client.send("round \(number)")
      #expect(try client.line("got ") == "round \(number)")
    }
    try client.send("last")
    #expect(
      try client.finish() == [
        "got last", "confirmed 601, refused 0, resent 0, connections 1",
      ]
    )
  }

  @Test("the lines of a tick are one write for each 8 KB, and an idle tick makes no system call")
  func writes() throws {
    let server = try PostgresServer()
    let client = try Client(
      "postgres-notify",
      [server.connection, "lines"],
      tracedIn: server.folder
    )
    try client.send("first")
    #expect(try client.line("got ") == "first")
    try client.program.send((1...200).map { "line \($0)" })
    for number in 1...200 { #expect(try client.line("got ") == "line \(number)") }
    try client.expectNoCallsInIdleTicks()
    // "P" begins libpq's first message of a query. LISTEN and the first line are shorter.
    let ticks = try client.writesInTicks(by: "sendto", beginningWith: "P\\0").drop { $0[0] < 8192 }
    print("postgres-notify: 200 lines, writes of", ticks)
    // The last tick ends the connection.
    #expect(ticks.count == 2)
    // libpq sends each 8 KB of a transaction, and the rest at its end.
    for bytes in ticks { #expect(bytes.count == (bytes.reduce(0, +) + 8191) / 8192) }
  }

  @Test("the name of a channel is neither folded nor a part of a statement")
  func channelNames() throws {
    let server = try PostgresServer()
    for name in [#"Lines "x""#, "it's; NOTIFY other --", "Größe"] {
      let client = try Client("postgres-notify", [server.connection, name])
      try client.send("line")
      #expect(try client.line("got ") == "line")
      let quoted = name.replacing(#"""#, with: #""""#)
      _ = try server.sql(#"NOTIFY "\#(quoted)", 'from psql'"#)
      #expect(try client.line("got ") == "from psql")
      #expect(try client.finish() == ["confirmed 1, refused 0, resent 0, connections 1"])
    }
  }

  @Test("a line that the server refuses does not stop the others")
  func refused() throws {
    let server = try PostgresServer()
    let client = try Client("postgres-notify", [server.connection, "lines"])
    try client.send("one")
    #expect(try client.line("got ") == "one")
    try client.send(String(repeating: "x", count: 8001))
    repeat {
      try client.send("summary")
    } while try client.line("confirmed 1, refused ").hasPrefix("0")
    try client.send("two")
    #expect(
      try client.finish() == ["got two", "confirmed 2, refused 1, resent 0, connections 1"]
    )
  }

  // libpq closes the socket of a host that refuses it, and opens one with the same number.
  @Test("the descriptor may change while the client connects")
  func nextHost() throws {
    let (server, starting) = (try PostgresServer(), try StartingServer())
    let hosts = "host=\(starting.folder.url.path),\(server.folder.url.path)"
    let connection = hosts + " user=postgres dbname=postgres"
    let client = try Client("postgres-notify", [connection, "lines"], tracedIn: server.folder)
    try client.send("line")
    #expect(try client.line("got ") == "line")
    #expect(starting.refusedOne())
    #expect(try client.finish() == ["confirmed 1, refused 0, resent 0, connections 1"])
  }

  @Test("lines that a killed server has not confirmed are sent again", arguments: MainLoop.allCases)
  func killed(_ loop: MainLoop) throws {
    let server = try PostgresServer()
    let client = try Client("postgres-notify", [server.connection, "lines"], in: loop)
    try client.send("first")
    #expect(try client.line("got ") == "first")
    try server.suspend()
    // 700 KB, more than the socket's buffers.
    for round in 0..<10 {
      try client.program.send((1...1000).map { "line \(round * 1000 + $0)" } + ["summary"])
      #expect(try client.line("confirmed ") == "1, refused 0, resent 0, connections 1")
    }
    try client.expectIdleSecond()
    try server.kill9()
    try server.start()
    for number in 1...10_000 { #expect(try client.line("got ") == "line \(number)") }
    #expect(
      try client.finish().last == "confirmed 10001, refused 0, resent 10000, connections 2"
    )
  }
}

/// A server that accepts one connection and says that it is starting.
private final class StartingServer: Sendable {
  let folder: ServerFolder
  private let count = DispatchSemaphore(value: 0)

  init() throws {
    folder = try ServerFolder()
    let descriptor = try folder.listen(at: ".s.PGSQL.5432")
    Thread.detachNewThread { [count] in
      let client = accept(descriptor, nil, nil)
      var request = [UInt8](repeating: 0, count: 1024)
      _ = read(client, &request, request.count)
      let fields = "SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
      let size = UInt8(fields.utf8.count + 4)
      let answer = [UInt8(ascii: "E"), 0, 0, 0, size] + Array(fields.utf8)
      _ = write(client, answer, answer.count)
      while read(client, &request, request.count) > 0 {}
      close(client)
      close(descriptor)
      count.signal()
    }
  }

  /// Whether the client has closed its connection.
  func refusedOne() -> Bool { count.wait(timeout: .now() + 60) == .success }
}
