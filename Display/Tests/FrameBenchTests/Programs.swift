import Foundation

/// Runs programs built beside the tests, and installed ones.
enum Programs {
  /// The folder of the test binaries.
  static let folder: String = {
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().path
  }()

  /// Returns the path of the installed program `name`, or nil.
  static func installed(_ name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
    return folders.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program to its end and returns its exit code and output.
  static func run(
    _ path: String,
    _ arguments: [String],
    _ environment: [String: String] = [:]
  ) throws -> (code: Int32, text: String) {
    let program = Started(path, arguments, environment)
    try program.process.run()
    let text = program.rest()
    program.process.waitUntilExit()
    return (program.process.terminationStatus, text)
  }
}

/// A running program and its output.
final class Started {
  let process = Process()
  private let output = Pipe()

  init(_ path: String, _ arguments: [String], _ environment: [String: String] = [:]) {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Reads the output up to its end.
  func rest() -> String {
    String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// Reads the next line. Returns nil at the end.
  func line() -> String? {
    var bytes: [UInt8] = []
    while let byte = output.fileHandleForReading.readData(ofLength: 1).first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }
}
