import Foundation
import Testing

/// A private D-Bus bus.
private final class BusServer {
  let folder: ServerFolder
  private var program: TestProgram

  var address: String { "unix:path=" + folder.path("bus") }

  init() throws {
    folder = try ServerFolder()
    program = try Self.started(in: folder)
  }

  private static func started(in folder: ServerFolder) throws -> TestProgram {
    let program = try startServer([
      "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address",
      "--address=unix:path=" + folder.path("bus"),
    ])
    _ = program.nextLine()  // the address, once it listens
    return program
  }

  func suspend() { kill(program.process.processIdentifier, SIGSTOP) }

  func restart() throws {
    program.terminate()
    try FileManager.default.removeItem(atPath: folder.path("bus"))
    program = try Self.started(in: folder)
  }

  func hasOwner(_ name: String) throws -> Bool {
    let output = try TestProgram.run(
      "dbus-send",
      [
        "--bus=" + address, "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
        "org.freedesktop.DBus.NameHasOwner", "string:" + name,
      ]
    )
    return output.text.contains("true")
  }
}

// Evaluated once, although each test of the suite has the condition.
private let canRun = canTest("bus-names", "dbus-daemon", isInstalled("dbus-daemon"))

@Suite(
  "bus-names",
  .enabled(if: canRun, "its library or dbus-daemon is not installed"),
  .timeLimit(.minutes(5))
)
struct BusTests {
  @Test(
    "two clients see each other's names, and idle ones do not wake",
    arguments: MainLoop.allCases
  )
  func names(_ loop: MainLoop) throws {
    let server = try BusServer()
    let first = try Client("bus-names", [server.address], in: loop)
    _ = try first.line("connected")
    let second = try Client("bus-names", [server.address], in: loop)
    _ = try second.line("connected")
    try first.send("claim org.example.A")
    let owner = try first.line("org.example.A is owned by ")
    #expect(try second.line("org.example.A is owned by ") == owner)
    #expect(try server.hasOwner("org.example.A"))
    try first.expectIdleSecond()
    try second.expectIdleSecond()
    try first.measure { number in
      try first.send("claim org.example.R\(number)")
      _ = try first.line("org.example.R\(number) is owned by ")
    }
    try first.send("release org.example.A")
    _ = try second.line("org.example.A is free")
    #expect(try second.finish() == ["owned 0, changes 502, connections 1"])
    #expect(try first.finish().last == "owned 500, changes 502, connections 1")
  }

  // The client asks sd-bus for its events and its timeout before it waits. E6.
  @Test("a tick in which nothing has changed makes no system call for the bus")
  func quietTicks() throws {
    let server = try BusServer()
    let client = try Client("bus-names", [server.address], tracedIn: server.folder)
    _ = try client.line("connected")
    try client.send("claim org.example.A")
    _ = try client.line("org.example.A is owned by ")
    try client.expectNoCallsInIdleTicks()
  }

  @Test("calls of one tick are written at once, and answered in any number")
  func manyCalls() throws {
    let server = try BusServer()
    let client = try Client("bus-names", [server.address], tracedIn: server.folder)
    _ = try client.line("connected")
    try client.program.send((1...200).map { "claim org.example.N\($0)" })
    for number in 1...200 { _ = try client.line("org.example.N\(number) is owned by ") }
    #expect(try client.finish() == ["owned 200, changes 200, connections 1"])
    let writes = try client.calls().filter { $0.contains(" sendmsg(") }.count
    print("bus-names: 200 calls and a connection, \(writes) writes")
    #expect(writes <= 210)
  }

  // The suspended bus does not read, so sd-bus queues calls and waits until it can write. E6.
  @Test("a bus killed with unread calls is found again", arguments: MainLoop.allCases)
  func killed(_ loop: MainLoop) throws {
    let server = try BusServer()
    let client = try Client("bus-names", [server.address], in: loop)
    _ = try client.line("connected")
    try client.send("claim org.example.A")
    _ = try client.line("org.example.A is owned by ")
    // The answer to the claim may come after the change.
    repeat { try client.send("summary") } while try client.line("owned ").hasPrefix("0")
    server.suspend()
    for round in 0..<20 {
      try client.program.send((1...100).map { "claim org.example.N\(round * 100 + $0)" })
      try client.send("summary")
      try #require(try client.line("owned ") == "1, changes 1, connections 1")
    }
    // The client is idle with a full socket.
    try client.expectIdleSecond()
    // A bus of a session lets a connection own 50,000 names.
    try server.restart()
    _ = try client.line("connected")
    for _ in 0..<2001 { _ = try client.line("org.example.") }
    #expect(try client.finish().last?.hasSuffix("connections 2") == true)
  }
}
