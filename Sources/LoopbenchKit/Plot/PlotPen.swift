/// Draws the parts of a curve in SVG.
struct PlotPen {
  let look: PlotLook

  /// A line through `points`; those that would not be seen are left out.
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
        "d": path, "class": "line s \(look.colorClass)" + (isThin ? " thin" : ""),
        "stroke-dasharray": isThin ? "3 3" : look.dashes ?? "",
      ]
    )
  }

  /// A filled area.
  func area(_ points: [(x: Double, y: Double)], in markup: inout Markup) {
    let path = "M" + points.map(Self.pair).joined(separator: "L") + "Z"
    markup.element("path", ["d": path, "class": "area f \(look.colorClass)"])
  }

  /// A marker, filled or open, with words for who points at it.
  func marker(
    x: Double,
    y: Double,
    isOpen: Bool = false,
    words: String = "",
    in markup: inout Markup
  ) {
    let shape = Self.path(of: look.marker, x: x, y: y, size: isOpen ? 5 : 4)
    let fill = isOpen ? "open s \(look.colorClass)" : "f \(look.colorClass)"
    guard !words.isEmpty else { return markup.element("path", ["d": shape, "class": fill]) }
    markup.element("path", ["d": shape, "class": fill]) { $0.element("title", words: words) }
  }

  private static func pair(_ point: (x: Double, y: Double)) -> String {
    "\(Markup.number(point.x)) \(Markup.number(point.y))"
  }

  private static func path(of marker: PlotLook.Marker, x: Double, y: Double, size: Double) -> String
  {
    let corners: [(Double, Double)] =
      switch marker {
      case .circle: (0..<12).map { circle[$0] }
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
