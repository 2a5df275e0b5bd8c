/// One panel as text: a sign for each peer, so that it needs no colour.
struct TerminalPanel {
  private let panel: PlotPanel
  private let kind: PlotKind
  private let options: PlotOptions
  private let isASCII: Bool
  /// Of the curves, in characters.
  private let columns: Int

  private static let rows = 16
  /// Beside the curves: the times, and a rule.
  private static let margin = 11

  init(_ panel: PlotPanel, kind: PlotKind, options: PlotOptions, width: Int, isASCII: Bool) {
    self.panel = panel
    self.kind = kind
    self.options = options
    self.isASCII = isASCII
    columns = max(width - Self.margin, 24)
  }

  func text() -> String {
    let body =
      switch kind {
      case .percentile: percentiles
      case .time: rounds
      case .histogram: lanes
      }
    return (["\(panel.title), \(kind.title)"] + body).joined(separator: "\n") + "\n"
  }
}

extension TerminalPanel {
  private var percentiles: [String] {
    let curves = panel.curves.map { ($0, $0.points(to: options.to)) }
    let nines = max(curves.compactMap(\.1.last?.nines).max() ?? 1, 0.30103)
    let shares = across(low: 0, high: nines)
    let grid = grid(values: curves.flatMap { $0.1.map(\.value) })
    var canvas = grid.canvas
    for (curve, points) in curves {
      let places = points.map { (x: shares.place($0.nines), y: grid.axis.place($0.value)) }
      canvas.draw(places, sign: curve.look.sign(isASCII: isASCII))
    }
    let ticks = PlotAxis.percentiles(upTo: nines).map { ("p" + $0.label, shares.place($0.nines)) }
    return canvas.lines(times: grid.axis, isASCII: isASCII) + [foot(ticks), legend]
  }

  private var rounds: [String] {
    let all = panel.curves.flatMap(\.result.perRound)
    let last = Double(all.map(\.round).max() ?? 1)
    let places = across(low: 1, high: max(last, 2))
    let grid = grid(values: all.compactMap { $0.percentiles["50"] })
    var canvas = grid.canvas
    for curve in panel.curves {
      let points = curve.result.perRound.compactMap { round in
        round.percentiles["50"].map {
          (x: places.place(Double(round.round)), y: grid.axis.place($0))
        }
      }
      canvas.draw(points, sign: curve.look.sign(isASCII: isASCII))
    }
    let marked = all.filter(\.isDisturbed).map(\.round).uniqued().map {
      ("~", places.place(Double($0)))
    }
    let ticks = places.ticks.filter { $0 == $0.rounded() }.map {
      (Decimals.shortest($0), places.place($0))
    }
    return canvas.lines(times: grid.axis, isASCII: isASCII)
      + (marked.isEmpty ? [] : [foot(marked, word: "disturbed")])
      + [foot(ticks, word: "round, p50"), legend]
  }

  /// A row of blocks for each peer, on one scale.
  private var lanes: [String] {
    let names = panel.curves.map(\.name)
    let width = min(names.map(\.count).max() ?? 0, 24)
    let bins = HistogramDrawing.bins(
      of: panel.curves,
      options: options,
      count: max(columns + Self.margin - width - 2, 24)
    )
    let lanes = panel.curves.map { curve -> String in
      let shares = bins.shares(of: curve.result.histogram, samples: curve.result.count)
      let name = String(curve.name.prefix(width))
      return name + String(repeating: " ", count: width - name.count + 2)
        + Sparkline.text(for: shares, isASCII: isASCII)
    }
    let axis = bins.axis(along: (0, Double(bins.count - 1)))
    let ticks = axis.ticks.map { (TimeText.tick($0), axis.place($0)) }
    return lanes + [Self.foot(ticks, indent: width + 2, width: bins.count)]
  }
}

extension TerminalPanel {
  private func across(low: Double, high: Double) -> PlotAxis {
    PlotAxis((low, high), along: (0, Double(columns - 1)))
  }

  private func grid(values: [Double]) -> (canvas: TerminalCanvas, axis: PlotAxis) {
    let range = PlotPanel.range(of: values, isLinear: options.isLinear)
    let axis = PlotAxis(range, isLinear: options.isLinear, along: (Double(Self.rows - 1), 0))
    return (TerminalCanvas(columns: columns, rows: Self.rows), axis)
  }

  /// - Parameter word: What stands in the margin.
  private func foot(_ ticks: [(String, Double)], word: String = "") -> String {
    word + Self.foot(ticks, indent: Self.margin - word.count, width: columns)
  }

  /// Words at their places, without those that would touch their neighbour.
  private static func foot(_ ticks: [(String, Double)], indent: Int, width: Int) -> String {
    var line = ""
    for (label, place) in ticks {
      let start = min(max(Int(place.rounded()) - label.count / 2, 0), width - label.count)
      guard line.isEmpty || start > line.count else { continue }
      line += String(repeating: " ", count: max(0, start - line.count)) + label
    }
    return String(repeating: " ", count: indent) + line
  }

  private var legend: String {
    let names = panel.curves.map { "\($0.look.sign(isASCII: isASCII)) \($0.name)" }
    return String(repeating: " ", count: Self.margin) + names.joined(separator: "  ")
  }
}

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
