/// Charts of the medians of series that differ by the size at the end of their names: a
/// chart for each kind, with a curve for each peer of each report.
///
/// A median is the one of the fastest round. A sample of a large size takes longer than a
/// time slice, so on a busy machine most samples contain other processes.
struct GrowthPlot {
  /// The medians of one kind of series.
  struct Chart {
    let kind: String
    let summary: String
    /// In ascending order.
    let sizes: [Int]
    let curves: [Curve]
  }

  /// The medians of a peer, in ns, by size.
  struct Curve {
    let name: String
    let style: CurveStyle
    let medians: [Int: Double]

    /// In ascending order of their sizes.
    var points: [(size: Int, median: Double)] {
      medians.sorted { $0.key < $1.key }.map { (size: $0.key, median: $0.value) }
    }
  }

  let charts: [Chart]

  init(reports: [(name: String, report: Report)], options: PlotOptions) {
    let results = reports.enumerated().flatMap { file, entry in
      entry.report.results.filter { options.shows($0) && !$0.isTwin && $0.count > 0 }
        .compactMap { result in
          Size(of: result.series).map { (file: file, size: $0, result: result) }
        }
    }
    let peers = results.map(\.result.peer).uniqued()
    let kinds = results.map { PlotPanel.Name(scenario: $0.result.scenario, series: $0.size.kind) }
    charts = kinds.uniqued().compactMap { kind in
      let own = results.filter {
        ($0.result.scenario, $0.size.kind) == (kind.scenario, kind.series)
      }
      let sizes = Set(own.map(\.size.count)).sorted()
      // One size is not a curve.
      guard let first = own.first, sizes.count > 1 else { return nil }
      let description = reports[first.file].report.description(of: kind.scenario)
      let curves = own.map { "\($0.file) \($0.result.peer)" }.uniqued().map { key in
        let part = own.filter { "\($0.file) \($0.result.peer)" == key }
        let (file, peer) = (part[0].file, part[0].result.peer)
        let medians = part.compactMap { one in
          one.result.perRound.compactMap { $0.percentiles["50"] }.min().map { (one.size.count, $0) }
        }
        return Curve(
          name: peer + (reports.count > 1 ? " · " + reports[file].name : ""),
          style: CurveStyle(color: peers.firstIndex(of: peer) ?? 0, dash: file % 3),
          medians: Dictionary(medians, uniquingKeysWith: { first, _ in first })
        )
      }
      return Chart(
        kind: kind.series,
        summary: description.series.first { $0.name == first.result.series }?.summary ?? "",
        sizes: sizes,
        curves: curves
      )
    }
  }
}

extension GrowthPlot {
  /// The charts, two beside each other, below a legend of all curves.
  func svg() -> String {
    var body = Markup()
    let cell = (width: PlotFrame.width / 2, height: 232.0)
    let legend = Self.legend(of: charts.flatMap(\.curves), in: &body)
    for (index, chart) in charts.enumerated() {
      let x = Double(index % 2) * cell.width
      let y = legend + Double(index / 2) * cell.height
      let place = "translate(\(Markup.number(x)),\(Markup.number(y)))"
      body.element("g", ["transform": place]) { group in
        group.line()
        GrowthFrame(width: cell.width).draw(chart, in: &group)
      }
      body.line()
    }
    let rows = Double((charts.count + 1) / 2)
    let height = charts.isEmpty ? 0 : legend + rows * cell.height
    let title = "Median of the fastest round by size: \(charts.map(\.kind).joined(separator: ", "))"
    return Plot.picture(title, body, height: height)
  }

  /// Draws the name of each curve once. Returns the height.
  private static func legend(of curves: [Curve], in markup: inout Markup) -> Double {
    var x = 20.0
    for curve in curves.uniqued(by: \.name) {
      let pen = PlotPen(style: curve.style)
      pen.line([(x, 22), (x + 26, 22)], in: &markup)
      pen.marker(x: x + 13, y: 22, in: &markup)
      markup.text(curve.name, x: x + 32, y: 22, dy: ".35em")
      x += 46 + PlotFrame.width(of: curve.name)
    }
    markup.line()
    return 38
  }
}

/// The layout of one chart of growth. Both axes begin at their edges: the sizes are
/// logarithmic, and the times linear from 0, so that a constant cost is a level line.
private struct GrowthFrame {
  let width: Double

  private var left: Double { 76 }
  private var right: Double { width - 24 }
  private var top: Double { 52 }
  private var bottom: Double { 196 }

  func draw(_ chart: GrowthPlot.Chart, in markup: inout Markup) {
    markup.text(chart.kind, x: 20, y: 18, class: "head")
    let summary = PlotLabels.cut(chart.summary, to: width - 24)
    markup.text(summary, x: 20, y: 36, class: "soft")
    let sizes = chart.sizes.map(Double.init)
    let across = PlotAxis(
      (sizes.min() ?? 1, sizes.max() ?? 1),
      isLinear: false,
      along: (left + 12, right)
    )
    let highest = chart.curves.flatMap(\.medians.values).max() ?? 1
    let times = PlotAxis((0, max(highest, 0.001) * 1.08), along: (bottom, top))
    for tick in times.ticks {
      let y = times.place(tick)
      markup.line(x: (left, right), y: (y, y), class: "grid")
      markup.text(TimeText.tick(tick), x: left - 8, y: y, dy: ".35em", anchor: "end", class: "soft")
    }
    markup.line(x: (left, right), y: (bottom, bottom), class: "edge")
    for size in chart.sizes {
      let (x, label) = (across.place(Double(size)), Size.text(size))
      markup.text(label, x: x, y: bottom + 17, anchor: "middle", class: "soft")
    }
    markup.line()
    for curve in chart.curves {
      let pen = PlotPen(style: curve.style)
      let places = curve.points.map {
        (x: across.place(Double($0.size)), y: times.place($0.median))
      }
      markup.element("g") { group in
        group.element("title", words: "\(chart.kind), \(curve.name)")
        pen.line(places, in: &group)
        for (place, point) in zip(places, curve.points) {
          let words = "\(curve.name) \(Size.text(point.size)): \(TimeText.short(point.median))"
          pen.marker(x: place.x, y: place.y, words: words, in: &group)
        }
      }
      markup.line()
    }
  }
}
