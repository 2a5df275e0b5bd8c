/// Rows of cells in aligned columns: the first to the left, the rest to the
/// right. A column that only has a title is left out.
package struct TextTable {
  private let titles: [String]
  private var rows: [[String]] = []

  package init(titles: [String]) {
    self.titles = titles
  }

  /// Adds a row; missing cells are empty.
  package mutating func add(_ cells: [String]) {
    precondition(cells.count <= titles.count, "TextTable: a row is longer than the titles")
    rows.append(cells + [String](repeating: "", count: titles.count - cells.count))
  }

  /// The lines, each beginning with `indent`, without trailing spaces.
  package func lines(indent: String) -> [String] {
    let used = titles.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    let widths = used.map { column in
      ([titles] + rows).map { $0[column].count }.max() ?? 0
    }
    return ([titles] + rows).map { row in
      let cells = zip(used, widths).map { column, width in
        Self.pad(row[column], to: width, left: column == 0)
      }
      return Self.trimmed(indent + cells.joined(separator: "  "))
    }
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
