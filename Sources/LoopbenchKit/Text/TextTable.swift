import LoopTransactions

/// A table whose first column is aligned left and whose other columns are aligned
/// right, unless stated otherwise. Columns without content are left out.
package struct TextTable {
  package let titles: [String]
  package private(set) var rows: [[String]] = []
  private let left: Set<Int>

  /// A table with a row for each of `rows`.
  init<Row, Rank>(_ columns: [TableColumn<Row, Rank>], _ rows: [Row]) {
    self.init(
      titles: columns.map(\.title),
      left: Set(columns.indices.filter { columns[$0].isLeft })
    )
    for row in rows { add(columns.map { $0.cell(row) }) }
  }

  /// - Parameter left: The columns that are aligned left.
  package init(titles: [String], left: Set<Int> = [0]) {
    self.titles = titles.map(\.printable)
    self.left = left
  }

  /// Adds a row. Missing cells are empty.
  package mutating func add(_ cells: [String]) {
    require(
      cells.count <= titles.count,
      "TextTable.add(_:): a row must have at most \(titles.count) cells, got \(cells.count)"
    )
    rows.append(cells.map(\.printable) + [String](repeating: "", count: titles.count - cells.count))
  }

  /// The table as lines that begin with `indent`, without trailing spaces.
  package func lines(indent: String, style: ANSIStyle = ANSIStyle()) -> [String] {
    let (rows, used) = (usedCells, usedColumns)
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { column, cell in
        style.colored(cell.0, in: cell.0.padded(to: cell.1, isLeft: left.contains(used[column])))
      }
      return (indent + cells.joined(separator: "  ")).trimmingEnd
    }
  }

  /// Whether no line has more than `width` characters.
  func fits(_ width: Int, indent: String) -> Bool {
    lines(indent: indent).allSatisfy { $0.count <= width }
  }

  /// The titles and rows, without columns that have a title but no content.
  package var usedCells: [[String]] {
    let used = usedColumns
    return ([titles] + rows).map { row in used.map { row[$0] } }
  }

  private var usedColumns: [Int] {
    titles.indices.filter { column in rows.contains { !$0[column].isEmpty } }
  }

  /// Divides the table into tables whose lines have at most `width` characters, if
  /// possible. Each of them begins with the first column.
  package func divided(to width: Int, indent: String) -> [TextTable] {
    var (parts, columns) = ([[Int]](), [Int]())
    for column in titles.indices.dropFirst() {
      if !columns.isEmpty, !picking([0] + columns + [column]).fits(width, indent: indent) {
        parts.append(columns)
        columns = []
      }
      columns.append(column)
    }
    return (parts + [columns]).map { picking([0] + $0) }
  }

  private func picking(_ columns: [Int]) -> TextTable {
    var table = TextTable(titles: columns.map { titles[$0] })
    for row in rows { table.add(columns.map { row[$0] }) }
    return table
  }

  /// The table as lines of GitHub's Markdown.
  package func markdown() -> [String] {
    let rows = usedCells.map { $0.map { $0.escaped(with: Self.escapes) } }
    let rule = rows[0].indices.map { $0 == 0 ? ":--" : "--:" }
    return ([rows[0], rule] + rows.dropFirst()).map { cells in
      "| " + cells.joined(separator: " | ") + " |"
    }
  }

  private static let escapes: [Unicode.Scalar: String] = [
    "|": "\\|", "\\": "\\\\", "*": "\\*", "_": "\\_", "<": "\\<", "`": "\\`", "\n": " ",
    "\u{2028}": " ", "\u{2029}": " ",
  ]
}

/// A column of a table that leaves out columns if the terminal is narrow.
struct TableColumn<Row, Rank: CaseIterable & Equatable> {
  let title: String
  /// Columns of the first rank are left out first, and columns of the last rank never.
  let rank: Rank
  var isLeft = false
  let cell: (Row) -> String
}

extension Array {
  /// The columns that fit into `width`. Of one rank, the column at the right is left out first.
  func fitting<Row, Rank>(_ width: Int, indent: String, _ rows: [Row]) -> Self
  where Element == TableColumn<Row, Rank> {
    var columns = self
    for rank in Rank.allCases.dropLast(1) {
      while !TextTable(columns, rows).fits(width, indent: indent),
        let last = columns.lastIndex(where: { $0.rank == rank })
      {
        columns.remove(at: last)
      }
    }
    return columns
  }
}
