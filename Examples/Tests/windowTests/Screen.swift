import Foundation

/// A display that nobody sees, and a program on it that is typed to.
final class Screen {
  private let server: Process
  private let name: String
  private var program: Process?
  private let output = Pipe()

  init() throws {
    server = Process()
    let numbers = Pipe()
    try Self.start(
      server,
      ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"],
      numbers
    )
    // The number comes once clients can connect.
    let number = String(decoding: numbers.fileHandleForReading.availableData, as: UTF8.self)
    name = ":\(number.trimmingCharacters(in: .newlines))"
  }

  deinit {
    // Tests run on threads that block all signals, and what they start inherits that.
    if let program, program.isRunning { kill(program.processIdentifier, SIGKILL) }
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
  }

  /// Starts the built program `name`, and gives its window, called `title`, the keys.
  func run(_ program: String, _ arguments: [String] = [], window title: String) throws -> String {
    try start(program, arguments)
    let window = try xdotool("search", "--sync", "--name", "^\(title)$")
    try xdotool("windowfocus", "--sync", window)
    return window
  }

  /// Starts the built program `name`.
  func start(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    try Self.start(
      process,
      [Self.folder.appendingPathComponent(program).path] + arguments,
      output,
      name
    )
    self.program = process
  }

  /// What xdotool says.
  @discardableResult
  func xdotool(_ arguments: String...) throws -> String {
    try tool(["xdotool"] + arguments)
  }

  /// How many colours the window shows.
  func colours(of window: String) throws -> Int {
    Int(try tool(["import", "-window", window, "-format", "%k", "info:"])) ?? 0
  }

  /// What the program says until its end.
  func lines() throws -> [String] {
    let said = output.fileHandleForReading.readDataToEndOfFile()
    program?.waitUntilExit()
    return String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The program's exit code, or the signal that killed it, negative. Behind `lines()`.
  var outcome: Int32? {
    guard let program else { return nil }
    let status = program.terminationStatus
    return program.terminationReason == .exit ? status : -status
  }

  private func tool(_ words: [String]) throws -> String {
    let (process, said) = (Process(), Pipe())
    try Self.start(process, ["timeout", "20"] + words, said, name)
    let text = said.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(words: words) }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      .split(separator: "\n").last.map(String.init) ?? ""
  }

  private struct Failed: Error {
    let words: [String]
  }

  private static func start(
    _ process: Process,
    _ words: [String],
    _ output: Pipe,
    _ display: String? = nil
  ) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    var environment = ProcessInfo.processInfo.environment
    environment["DISPLAY"] = display
    // No session to be had, and none needed.
    environment["GTK_A11Y"] = "none"
    // What GTK would only complain of ends the program.
    environment["G_DEBUG"] = "fatal-criticals"
    // Who touches what is freed finds nothing there.
    environment["MALLOC_PERTURB_"] = "85"
    environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
    process.environment = environment
    try process.run()
  }

  // Beside the tests, where the package manager puts both.
  private static var folder: URL {
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent()
  }
}
