/// A note. Its first line is its title.
package struct Note: Sendable, Equatable {
  /// Identifies the note in its notebook. A newer note has a greater number.
  package let id: Int

  /// The time of its creation, in seconds since 1970.
  package let created: Int

  package let text: String

  /// `text` in lower case, for the search.
  let folded: String

  package init(id: Int, created: Int, text: String) {
    self.init(id: id, Draft(created: created, text: text))
  }

  init(id: Int, _ draft: Draft) {
    self.id = id
    created = draft.created
    text = draft.text
    folded = draft.folded
  }

  /// Returns the note with another text.
  package func with(_ text: String) -> Note { Note(id: id, created: created, text: text) }

  /// The first line with text, shortened, or "New Note".
  package var title: String { lines.title }

  /// The title, and the next line with text or "". For a row of the list.
  package var lines: (title: String, preview: String) {
    // Reads bytes, and no further than necessary: a note may be long, and many rows are filled
    // in a frame. No byte of a character that has several is a space or a line end.
    var bytes = text.utf8[...]
    func next() -> String {
      bytes = bytes.drop { $0 <= UInt8(ascii: " ") }
      let line = bytes.prefix(Self.longestLine).prefix { !Self.isNewline($0) }
      bytes = bytes[line.endIndex...].drop { !Self.isNewline($0) }
      return String(decoding: line, as: UTF8.self)
    }
    let title = next()
    return (title.isEmpty ? "New Note" : title, next())
  }

  private static func isNewline(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  // A row of the list shows fewer bytes than this.
  private static let longestLine = 200
}

/// A note that is not in a notebook yet. Made by a worker.
package struct Draft: Sendable {
  let created: Int
  let text: String
  let folded: String

  package init(created: Int, text: String) {
    self.created = created
    self.text = text
    folded = text.lowercased()
  }
}
