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
