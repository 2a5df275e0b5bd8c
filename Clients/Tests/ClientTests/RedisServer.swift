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

/// A server that accepts connections and does not read them.
final class UnreadServer {
  let folder: ServerFolder
  private let listener: Int32
  private var client: Int32 = -1

  var path: String { folder.path("socket") }

  init(in folder: ServerFolder? = nil) throws {
    self.folder = try folder ?? ServerFolder()
    listener = try self.folder.listen(at: "socket")
  }

  deinit {
    close(client)
    close(listener)
  }

  /// Whether a client has connected and was not accepted.
  var hasClient: Bool {
    var events = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    return poll(&events, 1, 0) == 1
  }

  /// Ends the stream to the first client, and reads everything that it has sent. The connection
  /// stays open, because closing it would be an error for the client.
  func endStreamAndRead() throws {
    client = accept(listener, nil, nil)
    guard client >= 0, shutdown(client, Int32(SHUT_WR)) == 0 else { throw POSIXError(.EIO) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
  }
}
