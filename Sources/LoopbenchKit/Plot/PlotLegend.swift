/// The names of all curves with their colours and markers, in rows.
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

  /// - Parameter top: Of the first row.
  func draw(top: Double, in markup: inout Markup) {
    for (index, row) in rows.enumerated() {
      let y = top + Double(index) * 18
      for (curve, x) in row {
        let pen = PlotPen(look: curve.look)
        pen.line([(x, y), (x + 26, y)], in: &markup)
        pen.marker(x: x + 13, y: y, in: &markup)
        markup.element(
          "text",
          ["x": Markup.number(x + 32), "y": Markup.number(y), "dy": ".35em"],
          words: curve.name
        )
      }
      markup.line()
    }
  }
}
