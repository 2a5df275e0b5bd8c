import Foundation

/// A Redis server on a Unix socket, which writes each change to a file before it replies.
final class RedisServer {
  let folder: ServerFolder
  private var program: TestProgram

  var socket: String { folder.path("socket") }

  init() throws {
    folder = try ServerFolder()
    program = Self.program(in: folder)
    try program.start()
    try waitUntilReady()
  }

  private static func program(in folder: ServerFolder) -> TestProgram {
    TestProgram(
      "redis-server",
      [
        "--port", "0", "--unixsocket", folder.path("socket"), "--dir", folder.url.path,
        "--save", "", "--appendonly", "yes", "--appendfsync", "always",
      ]
    )
  }

  private func waitUntilReady() throws {
    while let line = program.nextLine() { if line.contains("eady to accept") { return } }
    throw POSIXError(.ECONNREFUSED)
  }

  /// Stops the server without ending it, so that it does not reply.
  func suspend() { kill(program.process.processIdentifier, SIGSTOP) }

  func kill9() { program.terminate() }

  func restart() throws {
    program = Self.program(in: folder)
    try program.start()
    try waitUntilReady()
  }

  func value(_ key: String) throws -> Int {
    let output = try TestProgram.run("redis-cli", ["-s", socket, "get", key])
    return Int(output.text) ?? 0
  }
}
