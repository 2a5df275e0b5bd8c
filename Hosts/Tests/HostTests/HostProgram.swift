import Foundation

/// A program with a host in it, run by a test.
enum HostProgram {
  struct Output {
    let lines: [String]
    let complaints: String
    let code: Int32

    /// The lines that are a name and a number.
    var figures: [String: Double] {
      lines.reduce(into: [:]) { figures, line in
        let words = line.split(separator: " ")
        if words.count == 2 { figures[String(words[0])] = Double(words[1]) }
      }
    }
  }

  /// The figures of a case.
  static func run(_ name: String, _ which: String) throws -> [String: Double] {
    let output = try output(name, which)
    guard output.code == 0 else { throw Failed(output: output) }
    return output.figures
  }

  /// What the program `name` says of a case.
  static func output(_ name: String, _ which: String) throws -> Output {
    let process = Process()
    process.executableURL = folder.appendingPathComponent(name)
    process.arguments = [which]
    var environment = ProcessInfo.processInfo.environment
    // Of one that traps, another process would make it, and hold the pipes.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let display = name == "sdl-host" ? try Display() : nil
    defer { display?.end() }
    environment["DISPLAY"] = display?.name
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

  private struct Failed: Error {
    let output: Output
  }

  // Beside the tests, where the package manager puts both.
  private static var folder: URL {
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent()
  }
}
