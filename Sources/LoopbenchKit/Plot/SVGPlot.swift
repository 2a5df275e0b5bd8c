extension Plot {
  /// All panels in one SVG picture, below each other. It follows the light or dark scheme of
  /// the viewer.
  package func svg() -> String {
    guard kind != .growth else { return growth.svg() }
    let panels = panels
    var body = Markup()
    var y = 0.0
    for panel in panels {
      body.element("g", ["transform": "translate(0,\(Markup.number(y)))"]) { group in
        group.line()
        y += draw(panel, in: &group) + 14
      }
      body.line()
    }
    let title = "Latency \(kind.title): \(panels.map(\.title).joined(separator: ", "))"
    return Self.picture(title, body, height: panels.isEmpty ? 0 : y)
  }

  /// An SVG picture of `body`, which is empty if its height is 0.
  static func picture(_ title: String, _ body: Markup, height: Double) -> String {
    let isEmpty = height == 0
    let (width, height) = (Markup.number(PlotFrame.width), Markup.number(isEmpty ? 60 : height))
    var markup = Markup()
    markup.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "class": "lb", "role": "img",
        "viewBox": "0 0 \(width) \(height)", "width": width, "height": height,
      ]
    ) { svg in
      svg.line()
      svg.element("title", words: title)
      svg.element("style") { $0.raw(PlotStyleSheet.text) }
      svg.element("rect", ["width": width, "height": height, "class": "paper"])
      svg.line()
      if isEmpty { svg.element("text", ["x": "20", "y": "35"], words: "nothing to plot") }
      svg.raw(body.text)
    }
    return markup.text + "\n"
  }

  /// Draws one panel: its title, legend, axes and curves.
  ///
  /// - Returns: The panel's height.
  private func draw(_ panel: PlotPanel, in markup: inout Markup) -> Double {
    let hasSummary = !panel.summary.isEmpty
    let legend = PlotLegend(panel.curves, from: 20, to: PlotFrame.width - 10)
    let chart = PlotChart(panel, kind)
    let histogram = HistogramDrawing(panel)
    let frame = PlotFrame(
      legendRows: legend.rows.count,
      hasSummary: hasSummary,
      height: chart == nil ? histogram.height : 300
    )
    func text(_ words: String, y: Double, class name: String) {
      markup.text(PlotLabels.cut(words, to: PlotFrame.width - 30), x: 20, y: y, class: name)
    }
    text("\(panel.title), \(kind.title)", y: 24, class: "head")
    if hasSummary { text(panel.summary, y: 42, class: "soft") }
    markup.line()
    legend.draw(top: hasSummary ? 62 : 44, in: &markup)
    if let chart { chart.draw(in: frame, &markup) } else { histogram.draw(in: frame, &markup) }
    return frame.total
  }
}

extension PlotChart {
  fileprivate func draw(in frame: PlotFrame, _ markup: inout Markup) {
    let times = times(along: (frame.bottom, frame.top))
    let across = PlotAxis(xRange, along: (frame.left, frame.right))
    for round in disturbed { Self.drawBand(round, across, frame, &markup) }
    frame.drawVertical(times, in: &markup)
    let places = ticks.map { (label: $0.label, x: across.place($0.x)) }
    frame.drawHorizontal(places, name: axisName, in: &markup)
    func place(_ point: Point) -> (x: Double, y: Double) {
      (across.place(point.x), times.place(point.time))
    }
    var labels = PlotLabels()
    for trace in traces {
      let pen = PlotPen(style: trace.curve.style)
      markup.element("g") { group in
        group.element("title", words: trace.curve.name)
        pen.line(trace.thin.map(place), isThin: true, in: &group)
        pen.line(trace.points.map(place), in: &group)
        for marker in trace.markers {
          let (x, y) = place(marker.point)
          pen.marker(x: x, y: y, isOpen: marker.isOpen, words: marker.words, in: &group)
        }
      }
      markup.line()
      if let end = trace.points.last.map(place) { labels.add(trace.curve, x: end.x, y: end.y) }
    }
    labels.draw(in: frame, &markup)
  }

  private static func drawBand(
    _ round: Int,
    _ rounds: PlotAxis,
    _ frame: PlotFrame,
    _ markup: inout Markup
  ) {
    let from = rounds.place(Double(round) - 0.5)
    let to = rounds.place(Double(round) + 0.5)
    let attributes: Markup.Attributes = [
      "x": Markup.number(from), "width": Markup.number(to - from), "y": Markup.number(frame.top),
      "height": Markup.number(frame.height), "class": "band",
    ]
    markup.element("rect", attributes)
    markup.text("~", x: (from + to) / 2, y: frame.top, dy: "1em", anchor: "middle", class: "soft")
  }
}
