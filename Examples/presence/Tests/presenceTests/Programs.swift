import Foundation
import Testing

/// A node that a test runs.
final class Node {
  let program: TestProgram
  let port: String

  init(of redis: RedisServer, port: String = "0", coalesces: Bool = true) throws {
    program = TestProgram(
      TestProgram.built("presence"),
      ["node", "--port", port, "--redis", redis.socket, "--loops", "2", "--addresses", "2"]
        + (coalesces ? [] : ["--no-coalescing"])
    )
    try program.startUnblocked()
    let line = try #require(program.nextLine())
    self.port = String(try #require(line.split(separator: ":").last))
  }

  /// Ends the node. Returns its counts by their names.
  func end() throws -> [String: Int] {
    kill(program.process.processIdentifier, SIGTERM)
    let output = program.finish()
    #expect(output.code == 0)
    #expect(output.errors == "")
    let words = try #require(output.lines.last).split(separator: ", ")
    return Dictionary(
      uniqueKeysWithValues: words.compactMap { words in
        let end = words.lastIndex(of: " ") ?? words.startIndex
        return Int(words[end...].dropFirst()).map { (String(words[..<end]), $0) }
      }
    )
  }
}

/// A process of clients that a test runs and commands. All clients are members of one team.
final class Clients {
  private let program: TestProgram
  private let count: Int
  // The words and numbers of the measurement.
  private var measurement: [String: Int] = [:]

  init(_ count: Int, of nodes: [Node]) throws {
    self.count = count
    program = TestProgram(
      TestProgram.built("presence"),
      [
        "clients", "--count", "\(count)", "--team", "\(count)", "--addresses", "2",
        "--ports", nodes.map(\.port).joined(separator: ","),
      ]
    )
    try program.start()
    try wait(for: "connected")
  }

  func send(_ lines: String...) throws { try program.send(lines) }

  /// Waits until the users have made `count` more changes.
  func makeChanges(_ count: Int) throws {
    let before = try changes()
    while try changes() < before + count {}
  }

  private func changes() throws -> Int {
    try send("changes")
    return Int(try line("changes ")) ?? 0
  }

  /// Ends the changes, and expects that each client sees the newest state of each user in
  /// the stream.
  func expectNewest(in redis: RedisServer) throws {
    try send("stop")
    let words = try line("settled ").split(separator: " ")
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      measurement[String(words[index])] = Int(words[index + 1])
    }
    try wait(for: "end")
    let newest = try redis.newest("presence:stream")
    let views = try views()
    #expect(views.count == count)
    for view in views {
      #expect(view.clients == count)
      #expect(view.version == newest[view.user] ?? "0")
    }
  }

  /// A number of the measurement.
  func measured(_ name: String) throws -> Int { try #require(measurement[name]) }

  /// The versions that the clients see, and the number of clients that see each.
  func views() throws -> [(user: String, version: String, clients: Int)] {
    try send("views")
    var views: [(user: String, version: String, clients: Int)] = []
    while let line = program.nextLine(), line != "end" {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 4, words[0] == "view" else { continue }
      views.append((words[1], words[2], Int(words[3]) ?? 0))
    }
    return views
  }

  private func wait(for word: String) throws { _ = try line(word) }

  /// Reads lines up to one that begins with `prefix`. Returns the rest of that line.
  ///
  /// Clients that miss a change wait indefinitely, and a thread that reads cannot be cancelled. So
  /// they are killed after two minutes, which is far longer than any test takes.
  private func line(_ prefix: String) throws -> String {
    // SIGKILL: threads of tests block the other signals, and programs inherit that.
    let limit = DispatchWorkItem { [process = program.process.processIdentifier] in
      kill(process, SIGKILL)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(120), execute: limit)
    defer { limit.cancel() }
    while let line = program.nextLine() {
      if line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count)) }
    }
    throw Ended(awaited: prefix, output: program.finish())
  }

  struct Ended: Error {
    let awaited: String
    let output: TestProgram.Output
  }
}

extension RedisServer {
  /// The newest version of each user in a stream: of its last entry.
  func newest(_ stream: String) throws -> [String: String] {
    let output = try TestProgram.run("redis-cli", ["-s", socket, "xrange", stream, "-", "+"])
    // Three lines for each entry: its identifier, the user, and the version.
    var newest: [String: String] = [:]
    for index in stride(from: 0, to: output.lines.count - 2, by: 3) {
      newest[output.lines[index + 1]] = output.lines[index + 2]
    }
    return newest
  }
}
