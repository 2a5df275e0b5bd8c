/// A picture of one or more reports: a panel for each series, a curve for each
/// peer of each report.
///
/// ```swift
/// let plot = Plot(reports: [("before", old), ("after", new)], kind: .percentile)
/// print(plot.terminal(width: 80, isASCII: false))
/// ```
package struct Plot {
  let reports: [(name: String, report: Report)]
  let kind: PlotKind
  let options: PlotOptions

  /// Makes a plot.
  ///
  /// - Parameter reports: With the name that tells each from the others.
  package init(
    reports: [(name: String, report: Report)],
    kind: PlotKind,
    options: PlotOptions = PlotOptions()
  ) {
    self.reports = reports
    self.kind = kind
    self.options = options
  }

  /// Whether there is nothing to show: no report has what was asked for.
  package var isEmpty: Bool { panels.isEmpty }

  /// An SVG picture, light or dark as the reader's system is.
  package func svg() -> String {
    SVGPlot(panels: panels, kind: kind, options: options).document()
  }

  /// Text for a terminal.
  ///
  /// - Parameters:
  ///   - width: In characters.
  ///   - isASCII: Whether nothing beyond ASCII is written.
  package func terminal(width: Int, isASCII: Bool) -> String {
    let panels = panels.map {
      TerminalPanel($0, kind: kind, options: options, width: width, isASCII: isASCII).text()
    }
    let text = panels.isEmpty ? "nothing to plot\n" : panels.joined(separator: "\n")
    return (isASCII ? ASCII.text(text) : text).printable
  }

  /// One for each series, in the order of the reports.
  var panels: [PlotPanel] {
    let names = reports.flatMap { $0.report.results }.filter(options.shows)
      .map { PlotPanel.Name(scenario: $0.scenario, series: $0.series) }.uniqued()
    return names.map { PlotPanel($0, reports: reports, options: options) }
  }
}

/// What of its reports a plot shows, and on what scale.
package struct PlotOptions: Sendable {
  /// The last percentile of a percentile plot or a histogram; `max` is all.
  package var to = Percentile.max
  /// Whether times are on a linear scale; else on a logarithmic one.
  package var isLinear = false
  /// Scenarios (`wake`) and series (`wake/across`) to show; empty is all.
  package var series: [String] = []
  /// Peers to show; empty is all.
  package var peers: [String] = []
  /// Where the descriptions come from.
  package var scenarios: [Scenario] = []

  /// Everything, on a logarithmic scale.
  package init() {}

  /// Whether a result is to be shown.
  func shows(_ result: Report.Result) -> Bool {
    let names = [result.scenario, "\(result.scenario)/\(result.series)"]
    return (series.isEmpty || names.contains(where: series.contains))
      && (peers.isEmpty || peers.contains(result.peer))
  }
}

/// What a plot shows.
package enum PlotKind: String, CaseIterable, Sendable {
  /// The time that each percentile does not exceed; every nine has as much room.
  case percentile
  /// Median and p99 of each round.
  case time
  /// How many samples took how long.
  case histogram

  /// A heading.
  var title: String {
    switch self {
    case .percentile: "by percentile"
    case .time: "round by round"
    case .histogram: "distribution"
    }
  }
}

/// The curves of one series.
struct PlotPanel {
  let name: Name
  /// The series' description, or nothing.
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
    let scenario = first?.scenario(named: name.scenario, among: options.scenarios)
    summary = scenario?.series.first { $0.name == name.series }?.summary ?? ""
    let results = reports.enumerated().flatMap { index, entry in
      entry.report.results.filter {
        ($0.scenario, $0.series) == (name.scenario, name.series) && options.shows($0)
          && $0.count > 0
      }.map { (file: index, result: $0) }
    }
    // A twin looks like its original, so that the eye takes them for one.
    let peers = results.map { PlotCurve.family(of: $0.result) }.uniqued()
    curves = results.map { file, result in
      PlotCurve(
        result,
        file: reports.count > 1 ? reports[file].name : nil,
        look: PlotLook(
          color: peers.firstIndex(of: PlotCurve.family(of: result)) ?? 0,
          dash: result.isTwin ? 3 : file % 3
        )
      )
    }
  }

  /// The smallest and the largest value of `values`, and a floor for logarithms.
  static func range(of values: [Double], isLinear: Bool) -> (low: Double, high: Double) {
    let high = max(values.max() ?? 1, 0.001)
    guard !isLinear else { return (0, high * 1.04) }
    // Not further down than 7 decades: a sample of 0 has no logarithm.
    let low = max(values.filter { $0 > 0 }.min() ?? high, high / 10_000_000)
    return low * 1.02 < high ? (low / 1.05, high * 1.05) : (low / 1.2, high * 1.2)
  }
}

/// What one peer did in one series of one report, as a plot draws it.
struct PlotCurve {
  /// The peer, and the report's name where there are several.
  let name: String
  let result: Report.Result
  let look: PlotLook

  init(_ result: Report.Result, file: String?, look: PlotLook) {
    name = result.peer + (file.map { " · " + $0 } ?? "")
    self.result = result
    self.look = look
  }

  /// The peer's name, of a twin its original's.
  static func family(of result: Report.Result) -> String {
    guard result.isTwin, let dot = result.peer.lastIndex(of: ".") else { return result.peer }
    return String(result.peer[..<dot])
  }
}

extension PlotCurve {
  /// A place on the percentile axis, and the time there.
  struct Point: Equatable {
    /// How many nines: 0 is p0, 1 is p90, 2 is p99.
    let nines: Double
    /// In ns.
    let value: Double
  }

  /// The distribution, straight from the buckets: the first and the last sample
  /// of each, at the middle of their ranks. The last one is the largest sample.
  func points(to percentile: Percentile) -> [Point] {
    let count = Double(result.count)
    var seen = 0.0
    var points: [Point] = []
    for bucket in result.histogram.buckets {
      let value = min(max(bucket.middle, result.min), result.max)
      let last = seen + Double(bucket.count)
      points.append(Point(nines: Self.nines((seen + 0.5) / count), value: value))
      points.append(Point(nines: Self.nines((last - 0.5) / count), value: value))
      seen = last
    }
    if let last = points.popLast() { points.append(Point(nines: last.nines, value: result.max)) }
    guard percentile != .max else { return points }
    let end = Self.nines(of: percentile)
    let value = result.value(at: percentile) ?? result.max
    return points.filter { $0.nines <= end }
      + [Point(nines: min(end, points.last?.nines ?? end), value: value)]
  }

  /// Where `percentile` is, other than the largest sample.
  static func nines(of percentile: Percentile) -> Double {
    nines(Double(percentile.thousandths) / 100_000)
  }

  private static func nines(_ share: Double) -> Double { -Logarithm.of(1 - share) }
}
