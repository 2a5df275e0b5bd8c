/// Draws the lines, areas and markers of one curve in SVG.
struct PlotPen {
  let style: CurveStyle

  /// Draws a line through `points`. Leaves out points whose distance from the
  /// previous point is below 0.4.
  func line(_ points: [(x: Double, y: Double)], isThin: Bool = false, in markup: inout Markup) {
    guard let first = points.first else { return }
    var path = "M\(Self.pair(first))"
    var last = first
    for (index, point) in points.enumerated().dropFirst() {
      let isNear = abs(point.x - last.x) < 0.4 && abs(point.y - last.y) < 0.4
      guard !isNear || index == points.count - 1 else { continue }
      path += "L\(Self.pair(point))"
      last = point
    }
    markup.element(
      "path",
      [
        "d": path, "class": "line s \(style.colorClass)" + (isThin ? " thin" : ""),
        "stroke-dasharray": isThin ? "3 3" : style.dashes ?? "",
      ]
    )
  }

  /// Draws a filled area.
  func area(_ points: [(x: Double, y: Double)], in markup: inout Markup) {
    let path = "M" + points.map(Self.pair).joined(separator: "L") + "Z"
    markup.element("path", ["d": path, "class": "area f \(style.colorClass)"])
  }

  /// Draws a marker.
  ///
  /// - Parameter words: The tooltip.
  func marker(
    x: Double,
    y: Double,
    isOpen: Bool = false,
    words: String = "",
    in markup: inout Markup
  ) {
    let shape = Self.path(of: style.marker, x: x, y: y, size: isOpen ? 5 : 4)
    let fill = isOpen ? "open s \(style.colorClass)" : "f \(style.colorClass)"
    guard !words.isEmpty else { return markup.element("path", ["d": shape, "class": fill]) }
    markup.element("path", ["d": shape, "class": fill]) { $0.element("title", words: words) }
  }

  private static func pair(_ point: (x: Double, y: Double)) -> String {
    "\(Markup.number(point.x)) \(Markup.number(point.y))"
  }

  private static func path(
    of marker: CurveStyle.Marker,
    x: Double,
    y: Double,
    size: Double
  ) -> String {
    let corners: [(Double, Double)] =
      switch marker {
      case .circle: circle
      case .square: [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]
      case .triangle: [(0, -1.2), (1.1, 0.8), (-1.1, 0.8)]
      case .wedge: [(0, 1.2), (1.1, -0.8), (-1.1, -0.8)]
      case .diamond: [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)]
      case .plus: plus
      case .cross: plus.map { (($0.0 - $0.1) * 0.75, ($0.0 + $0.1) * 0.75) }
      }
    return "M" + corners.map { pair((x + $0.0 * size, y + $0.1 * size)) }.joined(separator: "L")
      + "Z"
  }

  private static let plus: [(Double, Double)] = [
    (-0.4, -1.3), (0.4, -1.3), (0.4, -0.4), (1.3, -0.4), (1.3, 0.4), (0.4, 0.4), (0.4, 1.3),
    (-0.4, 1.3), (-0.4, 0.4), (-1.3, 0.4), (-1.3, -0.4), (-0.4, -0.4),
  ]

  private static let circle: [(Double, Double)] = [
    (1, 0), (0.87, 0.5), (0.5, 0.87), (0, 1), (-0.5, 0.87), (-0.87, 0.5), (-1, 0), (-0.87, -0.5),
    (-0.5, -0.87), (0, -1), (0.5, -0.87), (0.87, -0.5),
  ]
}

/// How a curve is drawn: a colour and a marker for each peer, a dash pattern for
/// each report.
struct CurveStyle: Equatable {
  let color: Int
  let dash: Int

  /// The number of colours. They are Okabe and Ito's colours, which colour-blind
  /// readers can distinguish. Some are darkened for contrast on white.
  static let colors = 8

  /// The class in the style sheet.
  var colorClass: String { "c\(color % Self.colors)" }

  /// The dash pattern; nil for a solid line.
  var dashes: String? {
    switch dash {
    case 1: "7 3"
    case 2: "7 3 2 3"
    case 3: "2 3"
    default: nil
    }
  }

  /// The marker of the curve. There are fewer markers than colours, so a repeated
  /// colour has a different marker.
  var marker: Marker { Marker.allCases[color % Marker.allCases.count] }

  enum Marker: CaseIterable {
    case circle
    case square
    case triangle
    case diamond
    case cross
    case wedge
    case plus
  }
}

/// The style sheet of plots, for light and dark schemes.
enum PlotStyleSheet {
  private static let light = [
    "#0072b2", "#d55e00", "#007a5a", "#b0488a", "#a86a00", "#2f8fc4", "#5c5c5c", "#7a4fbf",
  ]
  private static let dark = [
    "#56b4e9", "#ff8c42", "#2ec79b", "#e79bc6", "#f0c24b", "#8fd0ff", "#b8b8b8", "#b79cf0",
  ]

  /// The style sheet. It contains no CSS variables, because some viewers do not
  /// support them.
  static let text =
    """
    .lb{background:#fff;font:12px "DejaVu Sans",system-ui,sans-serif}
    .lb text{fill:#1d1d1f}.lb .soft{fill:#5f5f66}.lb .head{font-weight:bold;font-size:14px}
    .lb .grid{stroke:#e2e2e7}.lb .edge{stroke:#8e8e93}.lb .lead{stroke:#b8b8bf}
    .lb .line{fill:none;stroke-width:2;stroke-linejoin:round}.lb .thin{stroke-width:1.2}
    .lb .open{fill:#fff;stroke-width:1.6}.lb .area{fill-opacity:.22;stroke:none}
    .lb .band{fill:#8e8e93;fill-opacity:.14}.lb .paper{fill:#fff}
    \(rules(light))
    @media(prefers-color-scheme:dark){.lb{background:#1c1c1e}.lb .paper{fill:#1c1c1e}
    .lb text{fill:#f2f2f7}.lb .soft{fill:#a1a1a9}.lb .grid{stroke:#38383c}
    .lb .edge{stroke:#8e8e93}.lb .lead{stroke:#5c5c62}.lb .open{fill:#1c1c1e}
    \(rules(dark))}

    """

  private static func rules(_ colors: [String]) -> String {
    colors.enumerated().map { index, color in
      ".lb .s.c\(index){stroke:\(color)}.lb .f.c\(index){fill:\(color)}"
    }.joined(separator: "\n")
  }
}
