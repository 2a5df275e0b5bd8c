import Foundation

/// Runs a program of the package, which has its own main thread, to its end.
enum MainProgram {
  struct Output {
    let lines: [String]
    let complaints: String
    let code: Int32
  }

  /// Runs the program `name` with `arguments` and returns its output.
  static func run(_ name: String, _ arguments: String...) throws -> Output {
    let process = Foundation.Process()
    process.executableURL = folder.appendingPathComponent(name)
    process.arguments = arguments
    // Disable backtraces. Another process makes the backtrace of a trapped
    // program. It holds the pipes, and does not end under ThreadSanitizer.
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let (output, complaints) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = complaints
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complained = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Output(
      lines: String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init),
      complaints: String(decoding: complained, as: UTF8.self),
      code: process.terminationStatus
    )
  }

  // The package manager puts the programs next to the tests.
  private static var folder: URL {
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent()
  }
}
