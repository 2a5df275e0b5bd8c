/// The names at the right ends of curves, moved apart where they would touch.
struct PlotLabels {
  private var ends: [(curve: PlotCurve, x: Double, y: Double)] = []

  private static let row = 14.0

  /// Adds a curve that ends at a point.
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
      markup.element(
        "text",
        ["x": Markup.number(x), "y": Markup.number(y), "dy": ".35em"],
        words: Self.cut(end.curve.name, to: PlotFrame.width - x)
      )
    }
    markup.line()
  }

  /// What does not fit loses its end; the legend has all of it.
  static func cut(_ words: String, to width: Double) -> String {
    let room = Int(width / 7.4)
    return words.count <= room ? words : words.prefix(max(room - 1, 1)) + "…"
  }

  /// Sorted places, each at least a row below the one before, inside if possible.
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
