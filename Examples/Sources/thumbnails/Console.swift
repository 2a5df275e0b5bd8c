import Foundation

/// Unbuffered output of whole lines. A program that reads them from a pipe receives each
/// line immediately.
enum Console {
  /// Writes `line` to standard output. Exits with code 2 if that fails.
  static func printLine(_ line: String) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    } catch {
      printError("cannot write to standard output")
      exit(2)
    }
  }

  /// Writes an error message to standard error.
  static func printError(_ message: String) {
    // try?: an error cannot be reported anywhere else.
    try? FileHandle.standardError.write(contentsOf: Data("thumbnails: \(message)\n".utf8))
  }
}
