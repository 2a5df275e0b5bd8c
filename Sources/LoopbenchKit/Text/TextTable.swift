/// Rows of cells in aligned columns: the first to the left, the rest to the
/// right. A column that only has a title is left out.
package struct TextTable {
  package let titles: [String]
  package private(set) var rows: [[String]] = []

  package init(titles: [String]) {
    self.titles = titles.map(\.printable)
  }

  /// Adds a row; missing cells are empty.
  package mutating func add(_ cells: [String]) {
    precondition(cells.count <= titles.count, "TextTable: a row is longer than the titles")
    rows.append(cells.map(\.printable) + [String](repeating: "", count: titles.count - cells.count))
  }

  /// The lines, each beginning with `indent`, without trailing spaces.
  ///
  /// - Parameter paint: Given a cell and its padded text; adds nothing that
  ///   takes room on a terminal.
  package func lines(
    indent: String,
    paint: (_ cell: String, _ padded: String) -> String = { $1 }
  ) -> [String] {
    let used = usedColumns
    let widths = used.map { column in
      ([titles] + rows).map { $0[column].count }.max() ?? 0
    }
    return ([titles] + rows).map { row in
      let cells = zip(used, widths).map { column, width in
        paint(row[column], Self.pad(row[column], to: width, left: column == 0))
      }
      return Self.trimmed(indent + cells.joined(separator: "  "))
    }
  }

  /// The columns that have more than a title.
  package var usedColumns: [Int] {
    titles.indices.filter { column in rows.contains { !$0[column].isEmpty } }
  }

  private static func pad(_ text: String, to width: Int, left: Bool) -> String {
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    return left ? text + spaces : spaces + text
  }

  private static func trimmed(_ line: String) -> String {
    var line = Substring(line)
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}

extension TextTable {
  /// The lines of a table in GitHub's Markdown.
  package func markdown() -> [String] {
    let used = usedColumns
    let rule = used.map { $0 == 0 ? ":--" : "--:" }
    let rows = ([titles] + rows).map { row in used.map { Self.escaped(row[$0]) } }
    return ([rows[0], rule] + rows.dropFirst()).map { cells in
      "| " + cells.joined(separator: " | ") + " |"
    }
  }

  private static func escaped(_ cell: String) -> String {
    cell.reduce(into: "") { text, character in
      switch character {
      case "|", "\\", "*", "_", "<", "`": text += "\\\(character)"
      case _ where character.isNewline: text += " "
      default: text.append(character)
      }
    }
  }
}
