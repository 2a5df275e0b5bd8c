/// Draws the distributions of the samples in SVG, with a lane for each peer. All
/// lanes have the same time axis.
struct HistogramDrawing {
  private let lanes: [[PlotCurve]]
  /// From the smallest sample of all lanes to the largest.
  private let bins: Bins

  private static let lane = 62.0

  init(_ panel: PlotPanel) {
    // The curves of one peer in several reports share a lane.
    lanes = panel.curves.map(\.result.peer).uniqued().map { peer in
      panel.curves.filter { $0.result.peer == peer }
    }
    let range = PlotPanel.range(
      of: panel.curves.map(\.result.min) + panel.curves.map(\.result.max)
    )
    bins = Bins(low: range.low, high: range.high, count: 120)
  }

  var height: Double { Double(lanes.count) * Self.lane }

  func draw(in frame: PlotFrame, _ markup: inout Markup) {
    let (range, ends) = ((bins.low, bins.high), (frame.left, frame.right))
    let times = PlotAxis(range, isLinear: false, along: ends)
    frame.drawHorizontal(
      times.ticks.map { (TimeText.tick($0), times.place($0)) },
      name: "time; each lane is as high as its fullest part",
      in: &markup
    )
    for (index, lane) in lanes.enumerated() {
      let bottom = frame.top + Double(index + 1) * Self.lane
      let shares = lane.map { bins.shares(of: $0.result.histogram, samples: $0.result.count) }
      let scale = (Self.lane - 12) / max(shares.joined().max() ?? 1, 1e-9)
      for (curve, shares) in zip(lane, shares) {
        draw(curve, shares.map { bottom - $0 * scale }, bottom, times, in: &markup)
      }
      markup.line(x: (frame.left, frame.right), y: (bottom, bottom), class: "edge")
      name(lane, y: bottom - 8, frame: frame, in: &markup)
      markup.line()
    }
  }

  /// Draws the peer's name at the left, and its median and largest sample at the
  /// right. For more than two reports it draws only their medians.
  private func name(
    _ lane: [PlotCurve],
    y: Double,
    frame: PlotFrame,
    in markup: inout Markup
  ) {
    let peer = PlotLabels.cut(lane[0].result.peer, to: frame.left - 8)
    markup.text(peer, x: frame.left - 8, y: y, anchor: "end")
    // The space beside the lane has one figure per line, and four lines.
    let figures = lane.prefix(4).flatMap { curve in
      let median = "p50 \(curve.result.value(at: .p50).map(TimeText.short) ?? "-")"
      return lane.count > 2 ? [median] : [median, "max \(TimeText.short(curve.result.max))"]
    }
    for (index, words) in figures.enumerated() {
      let row = Double(figures.count - 1 - index)
      markup.text(words, x: frame.right + 8, y: y - row * 15)
    }
  }

  private func draw(
    _ curve: PlotCurve,
    _ tops: [Double],
    _ bottom: Double,
    _ times: PlotAxis,
    in markup: inout Markup
  ) {
    let steps = tops.enumerated().flatMap { index, y in
      [(x: times.place(bins.edge(index)), y: y), (x: times.place(bins.edge(index + 1)), y: y)]
    }
    let ends = [(x: times.start, y: bottom), (x: times.end, y: bottom)]
    let pen = PlotPen(style: curve.style)
    let median = times.place(curve.result.value(at: .p50) ?? curve.result.max)
    markup.element("g") { group in
      group.element("title", words: curve.name)
      pen.area([ends[0]] + steps + [ends[1]], in: &group)
      pen.line(steps, in: &group)
      pen.marker(x: median, y: bottom, words: "\(curve.name) p50", in: &group)
      let last = times.place(curve.result.max)
      pen.marker(x: last, y: bottom, isOpen: true, words: "\(curve.name) max", in: &group)
    }
  }
}
