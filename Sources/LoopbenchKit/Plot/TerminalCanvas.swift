/// Characters in rows, on which curves are drawn.
struct TerminalCanvas {
  private let columns: Int
  private var cells: [[Character]]

  init(columns: Int, rows: Int) {
    self.columns = columns
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// Draws a line through `points`, which are in characters from the top left.
  /// One that was drawn before shows through where both are in a column.
  mutating func draw(_ points: [(x: Double, y: Double)], sign: Character) {
    for column in 0..<columns {
      guard let y = Self.height(of: points, at: Double(column)) else { continue }
      let row = min(max(Int(y.rounded()), 0), cells.count - 1)
      if cells[row][column] == " " || column % 2 == 0 { cells[row][column] = sign }
    }
  }

  /// The lines, with times at the left.
  func lines(times: PlotAxis, isASCII: Bool) -> [String] {
    let ticks = times.ticks.map { (row: Int(times.place($0).rounded()), label: TimeText.tick($0)) }
    return cells.enumerated().map { row, cells in
      let label = ticks.first { $0.row == row }?.label ?? ""
      let rule = isASCII ? (label.isEmpty ? "|" : "+") : (label.isEmpty ? "│" : "┤")
      var line = String(repeating: " ", count: max(0, 9 - label.count)) + label + " " + rule
      line += String(cells)
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Between the two points beside `x`; `nil` outside of them.
  private static func height(of points: [(x: Double, y: Double)], at x: Double) -> Double? {
    guard let first = points.first, let last = points.last, first.x - 0.5 <= x, x <= last.x + 0.5
    else { return nil }
    guard let next = points.firstIndex(where: { $0.x >= x }) else { return last.y }
    guard next > 0 else { return first.y }
    let (before, after) = (points[next - 1], points[next])
    let part = after.x > before.x ? (x - before.x) / (after.x - before.x) : 1
    return before.y + (after.y - before.y) * part
  }
}
