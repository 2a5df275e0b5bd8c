import Foundation

/// A file with one note per line.
struct NotesFile: Sendable {
  let url: URL

  func read() throws -> [String] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    let text: String
    do { text = try String(contentsOf: url, encoding: .utf8) } catch {
      throw Unreadable(path: url.path)
    }
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }

  /// Thrown if a file is not a list of notes. The program then exits, so it does not
  /// overwrite the file.
  struct Unreadable: Error, CustomStringConvertible {
    let path: String
    var description: String {
      "cannot read '\(path)' as UTF-8 text; choose another file"
    }
  }

  func write(_ lines: [String]) throws {
    let text = lines.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: url, options: .atomic)
  }
}
