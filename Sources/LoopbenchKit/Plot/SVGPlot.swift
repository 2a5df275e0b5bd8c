/// Panels below each other in one SVG picture.
struct SVGPlot {
  let panels: [PlotPanel]
  let kind: PlotKind
  let options: PlotOptions

  /// A file of its own.
  func document() -> String { picture(withStyle: true) }

  /// The picture; a page has one style sheet for all of them.
  func picture(withStyle: Bool) -> String {
    var body = Markup()
    var y = 0.0
    for panel in panels {
      let drawing = PanelDrawing(panel, kind: kind, content(of: panel))
      body.element("g", ["transform": "translate(0,\(Markup.number(y)))"]) { group in
        group.line()
        drawing.draw(in: &group)
      }
      body.line()
      y += drawing.frame.total + 14
    }
    return frame(body, height: panels.isEmpty ? 60 : y, withStyle: withStyle)
  }

  private func content(of panel: PlotPanel) -> any PanelContent {
    switch kind {
    case .percentile: PercentileDrawing(panel, options)
    case .time: TimeDrawing(panel: panel, options: options)
    case .histogram: HistogramDrawing(panel, options)
    }
  }

  private func frame(_ body: Markup, height: Double, withStyle: Bool) -> String {
    let (width, height) = (Markup.number(PlotFrame.width), Markup.number(height))
    var markup = Markup()
    markup.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "class": "lb", "role": "img",
        "viewBox": "0 0 \(width) \(height)", "width": width, "height": height,
      ]
    ) { svg in
      svg.line()
      svg.element(
        "title",
        words: "Latency \(kind.title): \(panels.map(\.title).joined(separator: ", "))"
      )
      if withStyle { svg.element("style") { $0.raw(PlotStyleSheet.text) } }
      svg.element("rect", ["width": width, "height": height, "class": "paper"])
      svg.line()
      if panels.isEmpty { svg.element("text", ["x": "20", "y": "35"], words: "nothing to plot") }
      svg.raw(body.text)
    }
    return markup.text + "\n"
  }
}

/// What is drawn between the axes of a panel, and they themselves.
protocol PanelContent {
  var height: Double { get }
  func draw(in frame: PlotFrame, _ markup: inout Markup)
}

/// How one panel is drawn: a frame with title and legend, and what is in it.
struct PanelDrawing {
  let panel: PlotPanel
  let kind: PlotKind
  let frame: PlotFrame
  let content: any PanelContent

  private let legend: PlotLegend

  init(_ panel: PlotPanel, kind: PlotKind, _ content: any PanelContent) {
    self.panel = panel
    self.kind = kind
    self.content = content
    legend = PlotLegend(panel.curves, from: 20, to: PlotFrame.width - 10)
    frame = PlotFrame(
      legendRows: legend.rows.count,
      hasSummary: !panel.summary.isEmpty,
      height: content.height
    )
  }

  func draw(in markup: inout Markup) {
    text("\(panel.title), \(kind.title)", y: 24, class: "head", in: &markup)
    if !panel.summary.isEmpty { text(panel.summary, y: 42, class: "soft", in: &markup) }
    markup.line()
    legend.draw(top: panel.summary.isEmpty ? 44 : 62, in: &markup)
    content.draw(in: frame, &markup)
  }

  private func text(_ words: String, y: Double, class name: String, in markup: inout Markup) {
    let words = PlotLabels.cut(words, to: PlotFrame.width - 30)
    markup.text(words, x: 20, y: y, class: name)
  }
}
