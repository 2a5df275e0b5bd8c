extension Report {
  /// The report in `format`, ending in a newline.
  ///
  /// - Parameters:
  ///   - style: What is shown; formats for programs take no notice of its
  ///     colours, signs and unit.
  ///   - scenarios: Where the descriptions and the extra columns come from if the
  ///     report does not have them.
  public func rendered(
    as format: ReportFormat,
    style: ReportStyle = ReportStyle(),
    scenarios: [Scenario] = []
  ) -> String {
    let report = chosen(by: style)
    return switch format {
    case .text: TextReport(report, scenarios: scenarios, style: style).render()
    case .markdown: MarkdownReport(report, scenarios: scenarios, style: style).render()
    case .json: JSONReport.render(report)
    case .ndjson: NDJSONReport.render(report)
    case .csv: CSVReport(report, percentiles: style.percentiles).render()
    case .hgrm: HgrmReport.render(report)
    case .prom: PromReport(report, percentiles: style.percentiles).render()
    }
  }

  /// The report with the results of the scenarios and peers that `style` names.
  package func chosen(by style: ReportStyle) -> Report {
    var report = self
    report.results = results.filter { style.shows(scenario: $0.scenario, peer: $0.peer) }
    report.comparisons = comparisons.filter {
      style.shows(scenario: $0.scenario, peer: $0.peer)
    }
    report.noise = noise.filter { style.shows(scenario: $0.scenario, peer: $0.peer) }
    return report
  }
}

extension ReportStyle {
  fileprivate func shows(scenario: String, peer: String) -> Bool {
    (scenarios.isEmpty || scenarios.contains(scenario)) && (peers.isEmpty || peers.contains(peer))
  }
}
