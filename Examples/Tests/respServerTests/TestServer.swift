import Foundation

/// The built server, run as a user would run it.
final class TestServer {
  let port: Int
  private let program: TestProgram
  private var process: Process { program.process }

  /// - Parameter descriptors: A limit of open descriptors; nil keeps the test's limit.
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

  /// What redis-cli says.
  func cli(_ words: String...) throws -> [String] {
    try tool(["redis-cli", "-p", "\(port)"] + words)
  }

  /// What redis-benchmark says.
  func benchmark(_ words: String...) throws -> [String] {
    try tool(["redis-benchmark", "-h", "127.0.0.1", "-p", "\(port)", "--csv"] + words)
  }

  /// Starts a redis-cli that the test ends. It prints each line at once.
  func listen(_ words: String...) throws -> TestProgram {
    let client = TestProgram("stdbuf", ["-oL", "redis-cli", "-p", "\(port)"] + words)
    try client.start()
    return client
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

  /// Returns the error and the exit code of a server that cannot start.
  static func refusal(_ options: [String]) throws -> (said: String, code: Int32) {
    let output = try TestProgram.run(TestProgram.built("resp-server"), options)
    return (output.errors, output.code)
  }

  private func tool(_ words: [String]) throws -> [String] {
    try TestProgram.run("timeout", ["60"] + words).lines
  }
}
