import Foundation

/// The built server, run as a user would.
final class TestServer {
  let port: Int
  private let process = Process()
  private let output = Pipe()

  /// - Parameter descriptors: How many it may have open, unless as many as the tests.
  init(_ options: [String] = [], descriptors: Int? = nil) throws {
    let program = Self.folder.appendingPathComponent("resp-server").path
    let limit = descriptors.map { "ulimit -n \($0) && " } ?? ""
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      ["-c", limit + "exec \"$0\" \"$@\"", program, "--port", "0", "--loops", "2"] + options
    process.standardOutput = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    port = said.split(separator: ":").last.flatMap { Int($0.dropLast()) } ?? 0
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// What redis-cli says.
  func cli(_ words: String...) throws -> [String] {
    try tool(["redis-cli", "-p", "\(port)"] + words)
  }

  /// What redis-benchmark says.
  func benchmark(_ words: String...) throws -> [String] {
    try tool(["redis-benchmark", "-h", "127.0.0.1", "-p", "\(port)", "--csv"] + words)
  }

  /// Starts a redis-cli that goes on, and is ended by the test; its lines as they come.
  func listen(_ words: String...) throws -> (process: Process, lines: FileHandle) {
    let (process, said) = (Process(), Pipe())
    start(process, ["stdbuf", "-oL", "redis-cli", "-p", "\(port)"] + words, said)
    try process.run()
    return (process, said.fileHandleForReading)
  }

  /// What the server counted.
  func counters() throws -> [String: Int] {
    try cli("info").reduce(into: [:]) { counters, line in
      let words = line.split(separator: ":")
      if words.count == 2 { counters[String(words[0])] = Int(words[1]) }
    }
  }

  /// Bytes of memory it has now, and had at most.
  func memory() throws -> (now: Int, most: Int) {
    let file = "/proc/\(process.processIdentifier)/status"
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    func value(_ name: String) -> Int {
      let words = lines.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace)
      return (words.flatMap { Int($0[1]) } ?? 0) << 10
    }
    return (value("VmRSS:"), value("VmHWM:"))
  }

  /// How many descriptors it has open.
  func descriptors() throws -> Int {
    let folder = "/proc/\(process.processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count
  }

  /// Changes how many descriptors it may have open, while it runs.
  func limitDescriptors(to count: Int) throws {
    let text = try tool([
      "prlimit", "--pid", "\(process.processIdentifier)", "--nofile=\(count):1024",
    ])
    guard text.isEmpty else { throw POSIXError(.EPERM) }
  }

  /// Connects, sends `bytes`, and reads to the end of the connection, or, told not to
  /// wait, drops it at once.
  func send(_ bytes: [UInt8], waits: Bool = true) throws -> String {
    let client = try Client(port)
    // It may be closed while this sends.
    try? client.send(bytes)
    if !waits { return "" }
    return (try? client.read(1 << 20)) ?? ""
  }

  /// Ends it as a user would; its exit code, or the signal that killed it, negative. A
  /// server that does not end in a minute is killed.
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

  /// What a server says that can not begin, and its exit code.
  static func refusal(_ options: [String]) throws -> (said: String, code: Int32) {
    let (process, said) = (Process(), Pipe())
    process.executableURL = folder.appendingPathComponent("resp-server")
    process.arguments = options
    process.standardError = said
    try process.run()
    let text = said.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let status = process.terminationStatus
    return (
      String(decoding: text, as: UTF8.self), process.terminationReason == .exit ? status : -status
    )
  }

  private func tool(_ words: [String]) throws -> [String] {
    let (process, said) = (Process(), Pipe())
    start(process, ["timeout", "60"] + words, said)
    try process.run()
    let text = said.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // "\r\n" is one character.
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.map(String.init)
  }

  private func start(_ process: Process, _ words: [String], _ output: Pipe) {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
  }

  // Beside the tests, where the package manager puts both.
  private static var folder: URL {
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent()
  }
}
