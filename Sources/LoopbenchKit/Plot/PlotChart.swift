/// The curves of a panel over an axis of percentiles or rounds. Coordinates are in
/// the units of the axes. `SVGPlot.swift` draws the chart.
struct PlotChart {
  typealias Point = (x: Double, time: Double)

  /// One curve, from left to right.
  struct Trace {
    let curve: PlotCurve
    let points: [Point]
    /// The points of a second, thinner line, which shows the p99 of each round.
    var thin: [Point] = []
    let markers: [Marker]
  }

  /// A point with a tooltip.
  struct Marker {
    let point: Point
    var isOpen = false
    let words: String
  }

  private(set) var traces: [Trace] = []
  /// The horizontal axis.
  let xRange: (low: Double, high: Double)
  let ticks: [(label: String, x: Double)]
  let axisName: String
  /// The numbers of the disturbed rounds.
  private(set) var disturbed: [Int] = []

  /// Returns nil for a histogram, which has no curves, and for a plot of growth, which has
  /// no panels.
  init?(_ panel: PlotPanel, _ kind: PlotKind) {
    switch kind {
    case .percentile: self.init(percentilesOf: panel)
    case .time: self.init(roundsOf: panel)
    case .histogram, .growth: return nil
    }
  }

  /// The vertical axis. It covers the points of every trace.
  func times(along place: (start: Double, end: Double)) -> PlotAxis {
    let points = traces.flatMap { $0.points + $0.thin }
    return PlotAxis(PlotPanel.range(of: points.map(\.time)), isLinear: false, along: place)
  }
}

extension PlotChart {
  /// Time by percentile. The distances from p0 to p90, from p90 to p99 and from p99
  /// to p99.9 are equal.
  private init(percentilesOf panel: PlotPanel) {
    let curves = panel.curves.map { ($0, $0.points) }
    // The axis ends at the largest sample of the longest curve.
    let nines = max(curves.compactMap(\.1.last?.x).max() ?? 1, 0.30103)
    xRange = (0, nines)
    ticks = PlotAxis.percentiles(upTo: nines)
    axisName = "percentile of the samples"
    traces = curves.map { curve, points in
      // A marker this close to the end of the line would overlap the marker at the
      // end.
      let end = (points.last?.x ?? 0) - nines * 0.007
      let inner = [Percentile.p50, .p90, .p99, .p999].filter { PlotCurve.nines(of: $0) < end }
      let markers = (inner + [.max]).compactMap { percentile -> Marker? in
        guard let time = curve.result.value(at: percentile), let end = points.last else {
          return nil
        }
        let isOpen = percentile == .max
        let point = isOpen ? end : (PlotCurve.nines(of: percentile), time)
        let words = "\(curve.name) \(percentile.title): \(TimeText.short(time))"
        return Marker(point: point, isOpen: isOpen, words: words)
      }
      return Trace(curve: curve, points: points, markers: markers)
    }
  }

  /// Median and p99 of each round, in the order of the rounds.
  private init(roundsOf panel: PlotPanel) {
    let rounds = panel.curves.flatMap(\.result.perRound)
    xRange = (0.5, Double(rounds.map(\.round).max() ?? 1) + 0.5)
    ticks = PlotAxis(xRange, along: (0, 1)).ticks.filter { $0 == $0.rounded() }
      .map { (Decimals.shortest($0), $0) }
    disturbed = Set(rounds.filter(\.isDisturbed).map(\.round)).sorted()
    axisName =
      "round: median, and p99 thin" + (disturbed.isEmpty ? "" : "; ~ and shade: disturbed")
    traces = panel.curves.map { curve in
      func points(_ label: String) -> [Point] {
        curve.result.perRound.compactMap { round in
          round.percentiles[label].map { (Double(round.round), $0) }
        }
      }
      let medians = points("50")
      let markers = zip(curve.result.perRound, medians).map { round, point in
        Marker(point: point, words: Self.words(curve, round))
      }
      return Trace(curve: curve, points: medians, thin: points("99"), markers: markers)
    }
  }

  private static func words(_ curve: PlotCurve, _ round: SeriesRound) -> String {
    let values = ["50", "99"].compactMap { label in
      round.percentiles[label].map { "p\(label) \(TimeText.short($0))" }
    }
    let text = "\(curve.name) round \(round.round): \(values.joined(separator: ", "))"
    return round.isDisturbed ? text + ", disturbed" : text
  }
}
