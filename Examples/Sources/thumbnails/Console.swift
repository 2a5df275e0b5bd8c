import Foundation

/// Standard output and standard error, a whole line at a time: a program that reads
/// them by pipes sees each line as soon as it is told.
enum Console {
  /// Tells `line` on standard output.
  static func tell(_ line: String) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    } catch {
      complain("cannot write to standard output")
      exit(2)
    }
  }

  /// Tells what went wrong on standard error.
  static func complain(_ line: String) {
    // There is nobody left to tell that this failed.
    try? FileHandle.standardError.write(contentsOf: Data("thumbnails: \(line)\n".utf8))
  }
}
