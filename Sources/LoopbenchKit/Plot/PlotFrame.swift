/// Where the parts of one panel of an SVG are.
struct PlotFrame {
  static let width = 800.0
  /// What the curves have.
  let left = 76.0
  let right = 660.0
  let top: Double
  let height: Double

  /// Below the curves: the ticks and the name of the axis.
  private static let foot = 46.0
  private static let row = 18.0

  var bottom: Double { top + height }
  var total: Double { bottom + Self.foot }

  /// - Parameter legendRows: Above the curves, below the title.
  init(legendRows: Int, hasSummary: Bool, height: Double) {
    top = 40 + (hasSummary ? Self.row : 0) + Double(legendRows) * Self.row
    self.height = height
  }
}

extension PlotFrame {
  /// Lines and labels of the scale at the left.
  func drawVertical(_ axis: PlotAxis, in markup: inout Markup, label: (Double) -> String) {
    for tick in axis.ticks {
      let y = Markup.number(axis.place(tick))
      horizontal(y, "grid", in: &markup)
      markup.element(
        "text",
        [
          "x": Markup.number(left - 8), "y": y, "dy": ".35em", "text-anchor": "end",
          "class": "soft",
        ],
        words: label(tick)
      )
    }
    horizontal(Markup.number(bottom), "edge", in: &markup)
    markup.line()
  }

  /// Lines and labels of the scale at the foot, and its name.
  func drawHorizontal(
    _ ticks: [(label: String, x: Double)],
    name: String,
    in markup: inout Markup
  ) {
    var free = -Double.infinity
    for (label, x) in ticks {
      vertical(x, in: &markup)
      // A label that would touch its neighbour is left out, its line is not.
      let half = Self.width(of: label) / 2
      guard x - half > free else { continue }
      free = x + half + 6
      footText(label, x: x, y: bottom + 17, in: &markup)
    }
    footText(name, x: (left + right) / 2, y: bottom + 35, in: &markup)
    markup.line()
  }

  /// The room that words take, by a guess that is seldom too small.
  static func width(of words: String) -> Double { Double(words.count) * 7.4 }

  private func footText(_ words: String, x: Double, y: Double, in markup: inout Markup) {
    markup.element(
      "text",
      [
        "x": Markup.number(x), "y": Markup.number(y), "text-anchor": "middle", "class": "soft",
      ],
      words: words
    )
  }

  private func horizontal(_ y: String, _ kind: String, in markup: inout Markup) {
    let (from, to) = (Markup.number(left), Markup.number(right))
    markup.element("line", ["x1": from, "x2": to, "y1": y, "y2": y, "class": kind])
  }

  private func vertical(_ x: Double, in markup: inout Markup) {
    let (from, to) = (Markup.number(top), Markup.number(bottom))
    let x = Markup.number(x)
    markup.element("line", ["x1": x, "x2": x, "y1": from, "y2": to, "class": "grid"])
  }
}
