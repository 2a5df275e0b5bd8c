/// A plot of one or more reports, with a panel for each series and a curve for
/// each peer of each report.
///
/// ```swift
/// let plot = Plot(reports: [("before", old), ("after", new)], kind: .percentile)
/// print(plot.terminal(width: 80, isASCII: false))
/// ```
package struct Plot {
  let reports: [(name: String, report: Report)]
  let kind: PlotKind
  let options: PlotOptions

  /// Creates a plot.
  ///
  /// - Parameter reports: The reports, each with a unique name.
  package init(
    reports: [(name: String, report: Report)],
    kind: PlotKind,
    options: PlotOptions = PlotOptions()
  ) {
    self.reports = reports
    self.kind = kind
    self.options = options
  }

  /// Whether no report has a result that `options` shows.
  package var isEmpty: Bool { kind == .growth ? growth.charts.isEmpty : panels.isEmpty }

  /// The curves of a plot of growth.
  var growth: GrowthPlot { GrowthPlot(reports: reports, options: options) }

  /// One panel for each series, in the order of the reports.
  var panels: [PlotPanel] {
    let names = reports.flatMap { $0.report.results }.filter(options.shows)
      .map { PlotPanel.Name(scenario: $0.scenario, series: $0.series) }.uniqued()
    return names.map { PlotPanel($0, reports: reports, options: options) }
  }
}

/// The results that a plot shows, and its scale.
package struct PlotOptions: Sendable {
  /// The scenarios (`wake`) and series (`wake/across`) to show. Empty shows all.
  package var series: [String] = []
  /// The peers to show. Empty shows all.
  package var peers: [String] = []

  /// Creates options that show everything.
  package init() {}

  /// Returns whether the plot shows `result`.
  func shows(_ result: Report.Result) -> Bool {
    let names = [result.scenario, "\(result.scenario)/\(result.series)"]
    return (series.isEmpty || names.contains(where: series.contains))
      && (peers.isEmpty || peers.contains(result.peer))
  }
}

/// The kinds of plots.
package enum PlotKind: String, CaseIterable, Sendable {
  /// Time by percentile. The distances from p0 to p90, from p90 to p99 and from p99
  /// to p99.9 are equal.
  case percentile
  /// The median and the p99 of each round.
  case time
  /// The distribution of the samples.
  case histogram
  /// The median of the fastest round by the number at the end of a series' name.
  case growth

  /// The heading of the plot.
  var title: String {
    switch self {
    case .percentile: "by percentile"
    case .time: "round by round"
    case .histogram: "distribution"
    case .growth: "by size"
    }
  }
}

/// The curves of one series.
struct PlotPanel {
  let name: Name
  /// The description of the series. May be empty.
  let summary: String
  let curves: [PlotCurve]

  struct Name: Hashable {
    let scenario: String
    let series: String
  }

  /// `wake across`.
  var title: String { "\(name.scenario) \(name.series)" }

  init(_ name: Name, reports: [(name: String, report: Report)], options: PlotOptions) {
    self.name = name
    let first = reports.lazy.map(\.report).first { report in
      report.results.contains { ($0.scenario, $0.series) == (name.scenario, name.series) }
    }
    let scenario = first?.description(of: name.scenario)
    summary = scenario?.series.first { $0.name == name.series }?.summary ?? ""
    let results = reports.enumerated().flatMap { index, entry in
      entry.report.results.filter {
        ($0.scenario, $0.series) == (name.scenario, name.series) && options.shows($0)
          && $0.count > 0
      }.map { (file: index, result: $0) }
    }
    // An A/A twin has the same colour as its original.
    let peers = results.map { PlotCurve.family(of: $0.result) }.uniqued()
    curves = results.map { file, result in
      PlotCurve(
        result: result,
        file: reports.count > 1 ? reports[file].name : nil,
        style: CurveStyle(
          color: peers.firstIndex(of: PlotCurve.family(of: result)) ?? 0,
          dash: result.isTwin ? 3 : file % 3
        )
      )
    }
  }

  /// The range of an axis for `values`, with some space at both ends.
  static func range(of values: [Double]) -> (low: Double, high: Double) {
    let high = max(values.max() ?? 1, 0.001)
    // Limited to 7 decades: a sample of 0 has no logarithm and cannot set the lower
    // end.
    let low = max(values.filter { $0 > 0 }.min() ?? high, high / 10_000_000)
    return low * 1.02 < high ? (low / 1.05, high * 1.05) : (low / 1.2, high * 1.2)
  }
}

/// The result of one peer in one series of one report, as a plot draws it.
struct PlotCurve {
  /// The peer's name, followed by the report's name if there are several reports.
  var name: String { result.peer + (file.map { " · " + $0 } ?? "") }
  let result: Report.Result
  let file: String?
  let style: CurveStyle

  /// The peer's name; for a twin, the name of its original.
  static func family(of result: Report.Result) -> String {
    guard result.isTwin, let dot = result.peer.lastIndex(of: ".") else { return result.peer }
    return String(result.peer[..<dot])
  }
}

extension PlotCurve {
  /// The distribution. Each bucket of the histogram has two points, at the ranks of its
  /// first and its last sample. `x` is the number of nines: 0 is p0, 1 is p90, 2 is p99.
  /// The last point is the largest sample.
  var points: [PlotChart.Point] {
    let count = Double(result.count)
    var seen = 0.0
    var points: [PlotChart.Point] = []
    for bucket in result.histogram.buckets {
      let value = min(max(bucket.middle, result.min), result.max)
      let last = seen + Double(bucket.count)
      points.append((Self.nines((seen + 0.5) / count), value))
      points.append((Self.nines((last - 0.5) / count), value))
      seen = last
    }
    if let last = points.popLast() { points.append((last.x, result.max)) }
    return points
  }

  /// The position of `percentile` on the axis.
  ///
  /// - Precondition: `percentile` is not `.max`.
  static func nines(of percentile: Percentile) -> Double {
    nines(Double(percentile.thousandths) / 100_000)
  }

  private static func nines(_ share: Double) -> Double { -Logarithm.of(1 - share) }
}
