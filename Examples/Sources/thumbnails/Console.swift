import Foundation

/// Standard output and standard error, a whole line at a time: a program that reads
/// them by pipes sees each line as soon as it is told.
enum Console {
  /// Tells `line` on standard output.
  static func tell(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// Tells what went wrong on standard error.
  static func complain(_ line: String) {
    FileHandle.standardError.write(Data("thumbnails: \(line)\n".utf8))
  }
}
