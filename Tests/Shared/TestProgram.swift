import Foundation

/// A program that a test runs: one of the package, or an installed tool.
///
/// The test targets of all packages in this repository share this file through
/// symbolic links.
final class TestProgram {
  struct Output {
    let lines: [String]
    let errors: String
    /// The exit code, or the negative number of the signal that ended the program.
    let code: Int32

    var text: String { lines.joined(separator: "\n") }
  }

  let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()

  /// - Parameter path: A path, or the name of an installed program.
  /// - Parameter environment: Changes to the test's environment. `nil` removes a variable.
  /// - Parameter file: Receives standard output instead of `nextLine()` and `finish()`.
  init(
    _ path: String,
    _ arguments: [String] = [],
    environment: [String: String?] = [:],
    standardOutput file: FileHandle? = nil
  ) {
    process.executableURL = URL(fileURLWithPath: path.contains("/") ? path : "/usr/bin/env")
    process.arguments = path.contains("/") ? arguments : [path] + arguments
    var variables = ProcessInfo.processInfo.environment
    // With backtraces enabled, a trap starts another process. That process
    // keeps the pipes open, and does not end under ThreadSanitizer.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    for (name, value) in environment { variables[name] = value }
    process.environment = variables
    // A program that another test starts would otherwise delay the end of the pipes.
    for pipe in [input, output, errors] {
      for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    process.standardInput = input
    process.standardOutput = file ?? output
    if file != nil { try? output.fileHandleForWriting.close() }
    process.standardError = errors
  }

  deinit { terminate() }

  /// Starts the program with `lines` as the beginning of its standard input.
  func start(input lines: [String] = []) throws {
    input.fileHandleForWriting.write(Data(lines.map { $0 + "\n" }.joined().utf8))
    try process.run()
  }

  /// Starts the program with no blocked signals. It inherits the mask, and threads of tests
  /// block all signals.
  func startUnblocked() throws {
    // Not `sigset_t()`: in release builds, the initializer belongs to the module that the
    // compiler loaded first, which may not be imported here.
    try withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 2) { masks in
      sigemptyset(&masks[0])
      pthread_sigmask(SIG_SETMASK, &masks[0], &masks[1])
      defer { pthread_sigmask(SIG_SETMASK, &masks[1], nil) }
      try start()
    }
  }

  /// Writes `lines` to standard input.
  func send(_ lines: [String]) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// Closes standard input.
  func endInput() throws { try input.fileHandleForWriting.close() }

  /// Reads the next line of standard output; nil at its end.
  func nextLine() -> String? {
    var bytes: [UInt8] = []
    while let byte = output.fileHandleForReading.readData(ofLength: 1).first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Waits until the program ends, and returns the output not read by
  /// `nextLine()`.
  ///
  /// Standard input stays open until then, because many programs end when their
  /// input does.
  func finish() -> Output {
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let errorText = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let status = process.terminationStatus
    return Output(
      // Swift treats "\r\n" as one character.
      lines: String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
        .map(String.init),
      errors: String(decoding: errorText, as: UTF8.self),
      code: process.terminationReason == .exit ? status : -status
    )
  }

  /// Kills the program if it is running, and waits until it has ended.
  func terminate() {
    guard process.isRunning else { return }
    // Not SIGTERM: test threads block all signals, and programs inherit that.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Runs a program until it ends.
  static func run(
    _ path: String,
    _ arguments: [String] = [],
    environment: [String: String?] = [:],
    input: [String] = [],
    standardOutput file: FileHandle? = nil
  ) throws -> Output {
    let program = TestProgram(
      path,
      arguments,
      environment: environment,
      standardOutput: file
    )
    try program.start(input: input)
    return program.finish()
  }

  /// The path of a program of the package. It is built beside the tests, unless the
  /// variable `TEST_PROGRAMS` names another folder.
  static func built(_ name: String) -> String {
    if let folder = ProcessInfo.processInfo.environment["TEST_PROGRAMS"] {
      return "\(folder)/\(name)"
    }
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// The path of an installed program; nil if it is not on PATH.
  static func installed(_ name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
    return folders.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
