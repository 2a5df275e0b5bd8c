/// Draws one panel as text. Each peer has its own character, so the drawing needs
/// no colour.
struct TerminalPanel {
  let panel: PlotPanel
  let kind: PlotKind
  let width: Int
  let isASCII: Bool

  private static let rows = 16
  /// The width of the time labels and the axis at the left.
  private static let margin = 11

  /// The width of the drawing area, in characters.
  private var columns: Int { max(width - Self.margin, 24) }

  func text() -> String {
    let body = PlotChart(panel, kind).map(lines) ?? histogram
    return (["\(panel.title), \(kind.title)"] + body).joined(separator: "\n") + "\n"
  }
}

extension TerminalPanel {
  private func lines(_ chart: PlotChart) -> [String] {
    let across = PlotAxis(chart.xRange, along: (0, Double(columns - 1)))
    let times = chart.times(along: (Double(Self.rows - 1), 0), hasThinLines: false)
    var canvas = TerminalCanvas(columns: columns, rows: Self.rows)
    for trace in chart.traces {
      let places = trace.points.map { (x: across.place($0.x), y: times.place($0.time)) }
      canvas.draw(places, sign: trace.curve.style.sign(isASCII: isASCII))
    }
    let marks = chart.disturbed.map { ("~", across.place(Double($0))) }
    let ticks = chart.ticks.map { ($0.label, across.place($0.x)) }
    let signs = panel.curves.map { "\($0.style.sign(isASCII: isASCII)) \($0.name)" }
    return canvas.lines(times: times, isASCII: isASCII)
      + (marks.isEmpty ? [] : [Self.foot(marks, "disturbed", width: columns)])
      + [Self.foot(ticks, chart.shortName, width: columns)]
      + [signs.joined(separator: "  ").indented(by: Self.margin)]
  }

  /// A row of blocks for each peer. All rows have the same scale.
  private var histogram: [String] {
    let names = panel.curves.map(\.name)
    let width = min(names.map(\.count).max() ?? 0, 24)
    let bins = HistogramDrawing.bins(
      of: panel.curves,
      count: max(columns + Self.margin - width - 2, 24)
    )
    let lanes = panel.curves.map { curve -> String in
      let shares = bins.shares(of: curve.result.histogram, samples: curve.result.count)
      return String(curve.name.prefix(width)).padded(to: width + 2, isLeft: true)
        + Sparkline.text(for: shares, isASCII: isASCII)
    }
    let axis = bins.axis(along: (0, Double(bins.count - 1)))
    let ticks = axis.ticks.map { (TimeText.tick($0), axis.place($0)) }
    return lanes + [Self.foot(ticks, margin: width + 2, width: bins.count)]
  }

  /// A line with `title` in the margin and the labels at their positions. A label
  /// that would touch its neighbour is left out.
  private static func foot(
    _ ticks: [(String, Double)],
    _ title: String = "",
    margin: Int = Self.margin,
    width: Int
  ) -> String {
    var line = ""
    for (label, place) in ticks {
      let start = min(max(Int(place.rounded()) - label.count / 2, 0), width - label.count)
      guard line.isEmpty || start > line.count else { continue }
      line += label.indented(by: max(0, start - line.count))
    }
    return title.padded(to: margin, isLeft: true) + line
  }
}

/// A grid of characters that curves are drawn on.
struct TerminalCanvas {
  private let columns: Int
  private var cells: [[Character]]

  init(columns: Int, rows: Int) {
    self.columns = columns
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// Draws a line through `points`, given in characters from the top left.
  ///
  /// Where two lines share cells, every second column shows the earlier line, so
  /// that both lines are visible.
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
      return (label.padded(to: 9) + " " + rule + String(cells)).trimmingEnd
    }
  }

  /// Interpolates between the points on both sides of `x`. Returns nil if `x` is
  /// outside the line.
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
