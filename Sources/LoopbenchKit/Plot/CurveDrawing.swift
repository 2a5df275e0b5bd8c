/// Time by percentile, every nine with as much room as the one before.
struct PercentileDrawing: PanelContent {
  private let options: PlotOptions
  private let curves: [(curve: PlotCurve, points: [PlotCurve.Point])]

  init(_ panel: PlotPanel, _ options: PlotOptions) {
    self.options = options
    curves = panel.curves.map { ($0, $0.points(to: options.to)) }
  }

  var height: Double { 300 }

  /// The last place of the axis: the largest sample of the longest curve.
  private var nines: Double {
    options.to == .max
      ? max(curves.compactMap(\.points.last?.nines).max() ?? 1, 0.30103)
      : PlotCurve.nines(of: options.to)
  }

  func draw(in frame: PlotFrame, _ markup: inout Markup) {
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

/// Median and p99 round by round, in the order of the rounds.
struct TimeDrawing: PanelContent {
  let panel: PlotPanel
  let options: PlotOptions

  var height: Double { 300 }

  func draw(in frame: PlotFrame, _ markup: inout Markup) {
    let axes = axes(in: frame)
    let marked = Set(panel.curves.flatMap { $0.result.perRound.filter(\.isDisturbed).map(\.round) })
    for round in marked.sorted() { drawBand(round, axes.rounds, frame, &markup) }
    frame.drawVertical(axes.times, in: &markup)
    let name = "round: median, and p99 thin" + (marked.isEmpty ? "" : "; ~ and shade: disturbed")
    frame.drawHorizontal(
      axes.rounds.ticks.filter { $0 == $0.rounded() }.map {
        (Decimals.shortest($0), axes.rounds.place($0))
      },
      name: name,
      in: &markup
    )
    var labels = PlotLabels()
    for curve in panel.curves {
      let end = draw(curve, axes, in: &markup)
      if let end { labels.add(curve, x: end.x, y: end.y) }
    }
    labels.draw(in: frame, &markup)
  }

  private func axes(in frame: PlotFrame) -> (rounds: PlotAxis, times: PlotAxis) {
    let rounds = panel.curves.flatMap(\.result.perRound)
    let values = rounds.flatMap { round in
      ["50", "99"].compactMap { round.percentiles[$0] }
    }
    let range = PlotPanel.range(of: values, isLinear: options.isLinear)
    let last = Double(rounds.map(\.round).max() ?? 1)
    return (
      PlotAxis((0.5, last + 0.5), along: (frame.left, frame.right)),
      PlotAxis(range, isLinear: options.isLinear, along: (frame.bottom, frame.top))
    )
  }

  private func drawBand(
    _ round: Int,
    _ rounds: PlotAxis,
    _ frame: PlotFrame,
    _ markup: inout Markup
  ) {
    let from = rounds.place(Double(round) - 0.5)
    let to = rounds.place(Double(round) + 0.5)
    let top = Markup.number(frame.top)
    markup.element(
      "rect",
      [
        "x": Markup.number(from), "width": Markup.number(to - from), "y": top,
        "height": Markup.number(frame.height), "class": "band",
      ]
    )
    markup.text("~", x: (from + to) / 2, y: frame.top, dy: "1em", anchor: "middle", class: "soft")
  }

  /// - Returns: Where the median's line ends.
  private func draw(
    _ curve: PlotCurve,
    _ axes: (rounds: PlotAxis, times: PlotAxis),
    in markup: inout Markup
  ) -> (x: Double, y: Double)? {
    let pen = PlotPen(look: curve.look)
    func places(_ percentile: Percentile) -> [(x: Double, y: Double)] {
      curve.result.perRound.compactMap { round in
        round.percentiles[percentile.label].map {
          (axes.rounds.place(Double(round.round)), axes.times.place($0))
        }
      }
    }
    let medians = places(.p50)
    markup.element("g") { group in
      group.element("title", words: curve.name)
      pen.line(places(.p99), isThin: true, in: &group)
      pen.line(medians, in: &group)
      for (round, place) in zip(curve.result.perRound, medians) {
        pen.marker(x: place.x, y: place.y, words: words(curve, round), in: &group)
      }
    }
    markup.line()
    return medians.last
  }

  private func words(_ curve: PlotCurve, _ round: SeriesRound) -> String {
    let values = ["50", "99"].compactMap { label in
      round.percentiles[label].map { "p\(label) \(TimeText.short($0))" }
    }
    let text = "\(curve.name) round \(round.round): \(values.joined(separator: ", "))"
    return round.isDisturbed ? text + ", disturbed" : text
  }
}
