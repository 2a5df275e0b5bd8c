import Foundation

/// The server program, run as a user would run it.
final class TestServer {
  let port: Int
  private let program: TestProgram
  private var process: Process { program.process }

  /// - Parameter descriptors: The limit of open descriptors. Nil keeps the test's limit.
  init(_ options: [String] = [], descriptors: Int? = nil) throws {
    let limit = descriptors.map { "ulimit -n \($0) && " } ?? ""
    program = TestProgram(
      "/bin/sh",
      ["-c", limit + "exec \"$0\" \"$@\"", TestProgram.built("resp-server")]
        + ["--port", "0", "--loops", "2"] + options
    )
    try program.start()
    port = program.nextLine()?.split(separator: ":").last.flatMap { Int($0) } ?? 0
  }

  /// Runs redis-cli and returns its output.
  func cli(_ words: String...) throws -> [String] {
    try tool(["redis-cli", "-p", "\(port)"] + words)
  }

  /// Runs redis-benchmark and returns its output.
  func benchmark(_ words: String...) throws -> [String] {
    try tool(["redis-benchmark", "-h", "127.0.0.1", "-p", "\(port)", "--csv"] + words)
  }

  /// Starts a redis-cli that runs until the server ends. Its output is line buffered.
  func listen(_ words: String...) throws -> TestProgram {
    let client = TestProgram("stdbuf", ["-oL", "redis-cli", "-p", "\(port)"] + words)
    try client.start()
    return client
  }

  /// Returns the counters of the server's INFO reply.
  func counters() throws -> [String: Int] {
    try cli("info").reduce(into: [:]) { counters, line in
      let words = line.split(separator: ":")
      if words.count == 2 { counters[String(words[0])] = Int(words[1]) }
    }
  }

  /// Returns the server's current and peak resident memory in bytes.
  func memory() throws -> (now: Int, peak: Int) {
    let file = "/proc/\(process.processIdentifier)/status"
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    func value(_ name: String) -> Int {
      let words = lines.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace)
      return (words.flatMap { Int($0[1]) } ?? 0) << 10
    }
    return (value("VmRSS:"), value("VmHWM:"))
  }

  /// Returns the number of the server's open descriptors.
  func descriptors() throws -> Int {
    let folder = "/proc/\(process.processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count
  }

  /// Changes the descriptor limit of the running server.
  func limitDescriptors(to count: Int) throws {
    let text = try tool([
      "prlimit", "--pid", "\(process.processIdentifier)", "--nofile=\(count):1024",
    ])
    guard text.isEmpty else { throw POSIXError(.EPERM) }
  }

  /// Connects, sends `bytes`, and returns all replies until the server closes the
  /// connection. Disconnects without reading if `waits` is false.
  func send(_ bytes: [UInt8], waits: Bool = true) throws -> String {
    let client = try Client(port)
    // try?: the server may close the connection during the call.
    try? client.send(bytes)
    if !waits { return "" }
    return (try? client.read(1 << 20)) ?? ""
  }

  /// Sends the signals and waits for the server to exit. Kills the server after a minute.
  /// Returns the exit code, or the negative number of the signal that ended the server.
  func end(by signals: [Int32] = [SIGINT]) -> Int32 {
    let number = process.processIdentifier
    let watchdog = DispatchWorkItem { kill(number, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
    defer { watchdog.cancel() }
    for signal in signals { kill(number, signal) }
    process.waitUntilExit()
    let status = process.terminationStatus
    return process.terminationReason == .exit ? status : -status
  }

  /// Runs a server that is expected to fail at start. Returns its standard error
  /// and exit code.
  static func failedStart(_ options: [String]) throws -> (errors: String, code: Int32) {
    let output = try TestProgram.run(TestProgram.built("resp-server"), options)
    return (output.errors, output.code)
  }

  private func tool(_ words: [String]) throws -> [String] {
    try TestProgram.run("timeout", ["60"] + words).lines
  }
}
