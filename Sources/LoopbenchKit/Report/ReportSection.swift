/// The part of a report about one scenario, for people.
struct ReportSection {
  let scenario: Scenario
  let tables: [SeriesTable]

  /// Name and description.
  var caption: String {
    scenario.summary.isEmpty ? scenario.name : "\(scenario.name): \(scenario.summary)"
  }

  /// A section for each scenario of `report`, in the order they were chosen in.
  static func all(in report: Report, scenarios: [Scenario], style: ReportStyle) -> [Self] {
    let wanted = report.settings.scenarios.filter {
      style.scenarios.isEmpty || style.scenarios.contains($0)
    }
    return (wanted + report.results.map(\.scenario)).uniqued().map { name in
      let scenario = report.scenario(named: name, among: scenarios)
      let series = report.results.filter { $0.scenario == name }.map(\.series).uniqued()
      let tables = series.map {
        SeriesTable(report, scenario: scenario, series: $0, style: style)
      }
      return ReportSection(scenario: scenario, tables: tables)
    }
  }
}

extension Sequence where Element: Hashable {
  /// Each element once, where it came first.
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
