import Foundation

/// A file of notes, a line each.
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

  /// A file that has no notes, and would have been written over.
  struct Unreadable: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is not a text in UTF-8, or can not be read; name another" }
  }

  func write(_ lines: [String]) throws {
    let text = lines.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: url, options: .atomic)
  }
}
