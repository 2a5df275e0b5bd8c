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

  /// The first line with text, or "New Note".
  package var title: String {
    lines.first.map { String($0.prefix(Self.shownLength)) } ?? "New Note"
  }

  /// The line with text after the title, or "".
  package var preview: String {
    lines.dropFirst().first.map { String($0.prefix(Self.shownLength)) } ?? ""
  }

  // A row of the list shows fewer characters than this.
  private static let shownLength = 120

  /// The first two lines with text. Reads no further, because a note may be long.
  private var lines: [Substring] {
    var lines: [Substring] = []
    var rest = text[...]
    while lines.count < 2, let start = rest.firstIndex(where: { !$0.isWhitespace }) {
      rest = rest[start...]
      let end = rest.firstIndex(where: \.isNewline) ?? rest.endIndex
      lines.append(rest[..<end])
      rest = rest[end...]
    }
    return lines
  }
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
