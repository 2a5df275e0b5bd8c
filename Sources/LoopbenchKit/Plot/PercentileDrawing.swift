/// Time by percentile, every nine with as much room as the one before.
struct PercentileDrawing {
  private let options: PlotOptions
  private let curves: [(curve: PlotCurve, points: [PlotCurve.Point])]

  private init(_ panel: PlotPanel, _ options: PlotOptions) {
    self.options = options
    curves = panel.curves.map { ($0, $0.points(to: options.to)) }
  }

  static func make(_ panel: PlotPanel, _ options: PlotOptions) -> PanelDrawing {
    let drawing = PercentileDrawing(panel, options)
    return PanelDrawing(panel, kind: .percentile, height: 300) { drawing.draw(in: $0, &$1) }
  }

  /// The last place of the axis: the largest sample of the longest curve.
  private var nines: Double {
    options.to == .max
      ? max(curves.compactMap(\.points.last?.nines).max() ?? 1, 0.30103)
      : PlotCurve.nines(of: options.to)
  }

  private func draw(in frame: PlotFrame, _ markup: inout Markup) {
    let range = PlotPanel.range(
      of: curves.flatMap { $0.points.map(\.value) },
      isLinear: options.isLinear
    )
    let times = PlotAxis(range, isLinear: options.isLinear, along: (frame.bottom, frame.top))
    let shares = PlotAxis((0, nines), along: (frame.left, frame.right))
    let ticks = PlotAxis.percentiles(upTo: nines).map { ($0.label, shares.place($0.nines)) }
    frame.drawVertical(times, in: &markup)
    frame.drawHorizontal(ticks, name: "percentile of the samples", in: &markup)
    var labels = PlotLabels()
    for (curve, points) in curves {
      let places = points.map { (x: shares.place($0.nines), y: times.place($0.value)) }
      draw(curve, along: places, times: times, shares: shares, in: &markup)
      if let end = places.last { labels.add(curve, x: end.x, y: end.y) }
    }
    labels.draw(in: frame, &markup)
  }

  private func draw(
    _ curve: PlotCurve,
    along places: [(x: Double, y: Double)],
    times: PlotAxis,
    shares: PlotAxis,
    in markup: inout Markup
  ) {
    let pen = PlotPen(look: curve.look)
    let end = places.last ?? (x: 0, y: 0)
    markup.element("g") { group in
      group.element("title", words: curve.name)
      pen.line(places, in: &group)
      for percentile in [Percentile.p50, .p90, .p99, .p999] {
        let x = shares.place(PlotCurve.nines(of: percentile))
        guard x < end.x - 4, let value = curve.result.value(at: percentile) else { continue }
        pen.marker(x: x, y: times.place(value), words: words(curve, percentile), in: &group)
      }
      guard options.to == .max else { return }
      pen.marker(x: end.x, y: end.y, isOpen: true, words: words(curve, .max), in: &group)
    }
    markup.line()
  }

  private func words(_ curve: PlotCurve, _ percentile: Percentile) -> String {
    let value = curve.result.value(at: percentile) ?? curve.result.max
    return "\(curve.name) \(percentile.title): \(TimeText.short(value))"
  }
}
