import Foundation

/// What a run of the program said.
struct Output {
  let lines: [String]
  let complaints: String
  let code: Int32

  /// The positions whose outcome was told, in the order of the telling.
  var positions: [Int] { positions(of: ["made", "cancelled", "failed"], from: 0) }

  /// The positions told to be one of `outcomes`, from line `first` on.
  func positions(of outcomes: Set<String>, from first: Int = 0) -> [Int] {
    lines[first...].compactMap { line in
      let words = line.split(separator: " ")
      guard words.count >= 3, outcomes.contains(String(words[0])) else { return nil }
      return Int(words[1])
    }
  }
}

/// The built program, run as a client would: by its command line and pipes.
enum Program {
  /// Runs it to its end, with `input` on its standard input; what it says goes to
  /// `file`, or is read.
  static func run(
    _ arguments: [String],
    input: [String] = [],
    output file: FileHandle? = nil
  ) throws -> Output {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    let (toProgram, output, complaints) = (Pipe(), Pipe(), Pipe())
    process.standardInput = toProgram
    process.standardOutput = file ?? output
    process.standardError = complaints
    // Before it runs, so that no pause of this process comes between: it finds the
    // commands as soon as it looks.
    toProgram.fileHandleForWriting.write(Data(input.map { $0 + "\n" }.joined().utf8))
    try process.run()
    if file != nil { try output.fileHandleForWriting.close() }
    // Standard input stays open: that it ends must not be what ends the program.
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complained = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try toProgram.fileHandleForWriting.close()
    return Output(
      lines: String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init),
      complaints: String(decoding: complained, as: UTF8.self),
      code: process.terminationStatus
    )
  }

  // Beside the tests, where the package manager puts both.
  private static var executable: URL {
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent()
      .appendingPathComponent("thumbnails")
  }
}
