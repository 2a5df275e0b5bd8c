import Foundation

/// A program of the package that has a main thread of its own, run to its end.
enum MainProgram {
  struct Output {
    let lines: [String]
    let complaints: String
    let code: Int32
  }

  /// What the program `name` says when it is told `arguments`.
  static func run(_ name: String, _ arguments: String...) throws -> Output {
    let process = Foundation.Process()
    process.executableURL = folder.appendingPathComponent(name)
    process.arguments = arguments
    // Of one that traps a backtrace would be made by another process, which holds the
    // pipes, and under ThreadSanitizer does not end.
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

  // Beside the tests, where the package manager puts both.
  private static var folder: URL {
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent()
  }
}
