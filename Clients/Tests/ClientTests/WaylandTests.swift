import Foundation
import Testing

/// A Wayland compositor without a screen.
private final class WaylandServer {
  let folder: ServerFolder
  private var program: TestProgram

  var socket: String { folder.path("socket") }

  init() throws {
    folder = try ServerFolder()
    program = try Self.started(in: folder)
  }

  private static func started(in folder: ServerFolder) throws -> TestProgram {
    let program = try startServer([
      "env", "XDG_RUNTIME_DIR=" + folder.url.path, "weston", "--backend=headless-backend.so",
      "--socket=socket", "--no-config", "--idle-time=0", "--debug",
    ])
    // It listens before it starts the program that draws its desktop.
    while let line = program.nextLine() {
      if line.contains("weston-desktop-shell") { return program }
    }
    throw Ended(output: program.finish())
  }

  func suspend() { kill(program.process.processIdentifier, SIGSTOP) }

  func resume() { kill(program.process.processIdentifier, SIGCONT) }

  func restart() throws {
    program.terminate()
    program = try Self.started(in: folder)
  }

  /// The titles of the windows on its desktop, sorted.
  func titles() throws -> [String] {
    let output = try TestProgram.run(
      "weston-debug",
      ["scene-graph"],
      environment: ["XDG_RUNTIME_DIR": folder.url.path, "WAYLAND_DISPLAY": "socket"]
    )
    return output.lines.filter { $0.contains("top-level window '") }
      .map { String($0.split(separator: "'")[1]) }.sorted()
  }

  struct Ended: Error {
    let output: TestProgram.Output
  }
}

// Evaluated once, although each test of the suite has the condition.
private let canRun = canTest(
  "wayland-windows",
  "weston",
  isInstalled("weston") && isInstalled("weston-debug")
)

@Suite(
  "wayland-windows",
  .enabled(if: canRun, "its library or weston is not installed"),
  .timeLimit(.minutes(5))
)
struct WaylandTests {
  // Nothing but the loop sends the requests of the last window, which opens in an idle loop.
  @Test("windows open, and an idle client does not wake", arguments: MainLoop.allCases)
  func windows(_ loop: MainLoop) throws {
    let server = try WaylandServer()
    let client = try Client("wayland-windows", [server.socket], in: loop)
    try client.program.send((1...20).map { "window \($0)" })
    for _ in 1...20 { _ = try client.line("window ") }
    try client.expectIdleSecond()
    try client.send("last")
    #expect(try client.line("last ") == "is shown")
    #expect(try server.titles() == (["last"] + (1...20).map { "window \($0)" }).sorted())
    try client.measure(100) { number in
      try client.send("round \(number)")
      _ = try client.line("round \(number) is shown")
    }
    #expect(try client.finish() == ["windows 121, shown 121, connections 1"])
  }

  @Test("a tick in which nothing has changed makes no system call for the compositor")
  func quietTicks() throws {
    let server = try WaylandServer()
    let client = try Client("wayland-windows", [server.socket], tracedIn: server.folder)
    try client.send("window")
    _ = try client.line("window is shown")
    try client.expectNoCallsInIdleTicks()
  }

  // The suspended compositor sends no events, which would be answered.
  @Test("100 requests of a tick are one write")
  func writes() throws {
    let server = try WaylandServer()
    let client = try Client("wayland-windows", [server.socket], tracedIn: server.folder)
    try client.send("first")
    _ = try client.line("first is shown")
    server.suspend()
    // The second answer is in a later tick than the events that the compositor has sent.
    for _ in 1...2 { _ = try client.ticks() }
    // Each window makes five requests.
    try client.program.send((1...20).map { "window \($0)" })
    for _ in 1...2 { _ = try client.ticks() }
    server.resume()
    for _ in 1...20 { _ = try client.line("window ") }
    #expect(try client.finish() == ["windows 21, shown 21, connections 1"])
    let calls = try client.calls()
    let answers = calls.indices.filter { calls[$0].contains("write(1, \"ticks") }
    try #require(answers.count == 4)
    #expect(calls[answers[1]..<answers[3]].count { $0.contains(" sendmsg(") } == 1)
    let writes = calls.count { $0.contains(" sendmsg(") }
    print("wayland-windows: 21 windows and a connection, \(writes) writes")
  }

  // The wait reads the compositor's proposal of a size, which is not its own. The socket is then
  // silent: the compositor waits for the answer.
  @Test("events that a library has read are dispatched", arguments: MainLoop.allCases)
  func queuedEvents(_ loop: MainLoop) throws {
    let server = try WaylandServer()
    let client = try Client("wayland-windows", [server.socket], in: loop)
    try client.send("first")
    _ = try client.line("first is shown")
    for round in 1...10 {
      server.suspend()
      try client.send("window \(round)")
      // The second answer is in a later tick than the window's requests.
      for _ in 1...2 { _ = try client.ticks() }
      try client.send("roundtrip")
      _ = try client.line("waits")
      server.resume()
      _ = try client.line("window \(round) is shown")
    }
    #expect(try client.finish() == ["windows 11, shown 11, connections 1"])
  }

  // The suspended compositor does not read, so the client waits until it can write.
  @Test("windows open again on a compositor that was killed", arguments: MainLoop.allCases)
  func killed(_ loop: MainLoop) throws {
    let server = try WaylandServer()
    let client = try Client("wayland-windows", [server.socket], in: loop)
    let title = String(repeating: "long ", count: 10)
    try client.send("first")
    _ = try client.line("first is shown")
    server.suspend()
    // 370 KB, more than the socket's buffers.
    for round in 0..<30 {
      try client.program.send((1...100).map { title + "\(round * 100 + $0)" } + ["summary"])
      #expect(
        try client.line("windows ") == "\(round * 100 + 101), shown 1, connections 1"
      )
    }
    // The client is idle with a full socket.
    try client.expectIdleSecond()
    try server.restart()
    _ = try client.line("first is shown")
    for number in 1...3000 { #expect(try client.line(title) == "\(number) is shown") }
    #expect(try server.titles().count == 3001)
    #expect(try client.finish() == ["windows 3001, shown 3001, connections 2"])
  }

  @Test("windows wait for a compositor that is not there")
  func absent() throws {
    let folder = try ServerFolder()
    let client = try Client("wayland-windows", [folder.path("socket")])
    try client.send("window", "roundtrip", "summary")
    #expect(try client.line("windows ") == "1, shown 0, connections 0")
    #expect(try client.finish() == ["windows 1, shown 0, connections 0"])
  }
}
