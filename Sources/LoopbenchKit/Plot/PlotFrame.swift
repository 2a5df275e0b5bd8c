/// The layout of one panel of an SVG picture.
struct PlotFrame {
  static let width = 800.0
  /// The edges of the drawing area.
  let left = 76.0
  let right = 660.0
  let top: Double
  let height: Double

  /// The height of the tick labels and the axis name below the drawing area.
  private static let foot = 46.0
  private static let row = 18.0

  var bottom: Double { top + height }
  var total: Double { bottom + Self.foot }

  /// - Parameters:
  ///   - legendRows: The number of legend rows between title and drawing area.
  ///   - height: The height of the drawing area.
  init(legendRows: Int, hasSummary: Bool, height: Double) {
    top = 40 + (hasSummary ? Self.row : 0) + Double(legendRows) * Self.row
    self.height = height
  }
}

extension PlotFrame {
  /// Draws the grid lines and labels of the vertical axis.
  func drawVertical(_ axis: PlotAxis, in markup: inout Markup) {
    for tick in axis.ticks {
      let y = axis.place(tick)
      markup.line(x: (left, right), y: (y, y), class: "grid")
      let label = TimeText.tick(tick)
      markup.text(label, x: left - 8, y: y, dy: ".35em", anchor: "end", class: "soft")
    }
    markup.line(x: (left, right), y: (bottom, bottom), class: "edge")
    markup.line()
  }

  /// Draws the grid lines, labels and name of the horizontal axis.
  func drawHorizontal(
    _ ticks: [(label: String, x: Double)],
    name: String,
    in markup: inout Markup
  ) {
    var free = -Double.infinity
    for (label, x) in ticks {
      markup.line(x: (x, x), y: (top, bottom), class: "grid")
      // A label that would touch its neighbour is left out, but its grid line is
      // drawn.
      let half = Self.width(of: label) / 2
      guard x - half > free else { continue }
      free = x + half + 6
      markup.text(label, x: x, y: bottom + 17, anchor: "middle", class: "soft")
    }
    let middle = (left + right) / 2
    markup.text(name, x: middle, y: bottom + 35, anchor: "middle", class: "soft")
    markup.line()
  }

  /// Estimates the width of `words`. The width of 7.4 per character is not
  /// measured.
  static func width(of words: String) -> Double { Double(words.count) * 7.4 }
}

/// An axis of times or counts along one side of a picture.
struct PlotAxis {
  let low: Double
  let high: Double
  let isLogarithmic: Bool
  /// The position of the low end in the picture. It is greater than `end` if the
  /// axis is vertical, because SVG's y axis points down.
  let start: Double
  let end: Double

  /// - Parameter place: The positions of the low and the high end of `range`.
  init(
    _ range: (low: Double, high: Double),
    isLinear: Bool = true,
    along place: (start: Double, end: Double)
  ) {
    (low, high) = range
    isLogarithmic = !isLinear
    (start, end) = place
  }

  /// The position of `value`, clamped to the ends of the axis.
  func place(_ value: Double) -> Double {
    let value = min(max(value, low), high)
    let part =
      isLogarithmic
      ? Logarithm.of(value / low) / Logarithm.of(high / low) : (value - low) / (high - low)
    return start + (end - start) * part
  }

  /// The round values within the range that get a label.
  var ticks: [Double] {
    guard isLogarithmic else { return linearTicks }
    let decades = Logarithm.of(high / low)
    let steps: [Double] = decades > 5 ? [1] : decades > 2.5 ? [1, 3] : [1, 2, 5]
    let first = Logarithm.of(low).rounded(.down)
    let ticks = (0...Int(decades + 1)).flatMap { decade in
      steps.map { $0 * Logarithm.power(first + Double(decade)) }
    }.filter { low <= $0 && $0 <= high }
    return ticks.count >= 3 ? ticks : linearTicks
  }

  private var linearTicks: [Double] {
    let wanted = (high - low) / 5
    let power = Logarithm.power(Logarithm.of(wanted).rounded(.down))
    let step = power * ([1.0, 2, 5].first { $0 * power >= wanted } ?? 10)
    let first = (low / step).rounded(.up)
    return (0...10).map { (first + Double($0)) * step }.filter { $0 <= high * 1.000001 }
  }
}

extension PlotAxis {
  /// The percentiles with a label on an axis that ends at `nines`.
  static func percentiles(upTo nines: Double) -> [(label: String, x: Double)] {
    let labels = ["0", "50", "90", "99", "99.9", "99.99", "99.999", "99.9999", "99.99999"]
    let places = [0, 0.30103] + (1...7).map(Double.init)
    return zip(labels, places).filter { $0.1 <= nines + 1e-6 }.map { ($0, $1) }
  }
}

/// The names at the right ends of the curves. Names that would overlap are moved
/// apart.
struct PlotLabels {
  private var ends: [(curve: PlotCurve, x: Double, y: Double)] = []

  private static let row = 14.0

  /// Adds the name of a curve that ends at (`x`, `y`).
  mutating func add(_ curve: PlotCurve, x: Double, y: Double) {
    ends.append((curve, x, y))
  }

  func draw(in frame: PlotFrame, _ markup: inout Markup) {
    let sorted = ends.sorted { $0.y < $1.y }
    let places = Self.apart(sorted.map(\.y), top: frame.top, bottom: frame.bottom)
    for (end, y) in zip(sorted, places) {
      let x = frame.right + 22
      markup.element(
        "path",
        [
          "d": "M\(Markup.number(end.x + 6)) \(Markup.number(end.y))"
            + "L\(Markup.number(frame.right + 8)) \(Markup.number(end.y))"
            + "L\(Markup.number(x - 3)) \(Markup.number(y))",
          "class": "line lead", "style": "stroke-width:1",
        ]
      )
      let name = Self.cut(end.curve.name, to: PlotFrame.width - x)
      markup.text(name, x: x, y: y, dy: ".35em")
    }
    markup.line()
  }

  /// Truncates `words` to fit into `width`. The full name is in the legend.
  static func cut(_ words: String, to width: Double) -> String {
    let room = Int(width / 7.4)
    return words.count <= room ? words : words.prefix(max(room - 1, 1)) + "…"
  }

  /// Moves sorted positions so that each is at least one row below the previous
  /// position and, if possible, inside the drawing area.
  static func apart(_ places: [Double], top: Double, bottom: Double) -> [Double] {
    var result: [Double] = []
    for place in places {
      result.append(max(place, (result.last ?? top - row) + row))
    }
    var limit = bottom
    for index in result.indices.reversed() {
      result[index] = min(result[index], limit)
      limit = result[index] - row
    }
    return result
  }
}

/// The names of all curves with their lines and markers, in rows.
struct PlotLegend {
  let rows: [[(curve: PlotCurve, x: Double)]]

  init(_ curves: [PlotCurve], from left: Double, to right: Double) {
    var rows: [[(curve: PlotCurve, x: Double)]] = [[]]
    var x = left
    for curve in curves {
      let width = 34 + PlotFrame.width(of: curve.name) + 14
      if x + width > right, x > left {
        rows.append([])
        x = left
      }
      rows[rows.count - 1].append((curve, x))
      x += width
    }
    self.rows = rows
  }

  /// - Parameter top: The position of the first row.
  func draw(top: Double, in markup: inout Markup) {
    for (index, row) in rows.enumerated() {
      let y = top + Double(index) * 18
      for (curve, x) in row {
        let pen = PlotPen(style: curve.style)
        pen.line([(x, y), (x + 26, y)], in: &markup)
        pen.marker(x: x + 13, y: y, in: &markup)
        markup.text(curve.name, x: x + 32, y: y, dy: ".35em")
      }
      markup.line()
    }
  }
}
