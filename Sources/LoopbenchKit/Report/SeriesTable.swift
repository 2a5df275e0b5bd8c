/// The part of a text report about one series: a row for each peer.
struct SeriesTable {
  private let scenario: Scenario
  private let series: String
  private let results: [Report.Result]
  private let comparisons: [Report.Comparison]
  private let unit: TimeUnit
  private let digits: Int

  init(
    scenario: Scenario,
    series: String,
    results: [Report.Result],
    comparisons: [Report.Comparison]
  ) {
    self.scenario = scenario
    self.series = series
    self.results = results
    self.comparisons = comparisons
    let medians = results.map { $0.value(at: .p50) }
    unit = TimeUnit.fitting(medians)
    digits = Decimals.digits(for: (medians.min() ?? 0) / unit.nanoseconds)
  }

  func lines() -> [String] {
    var table = TextTable(titles: titles)
    for result in results { table.add(cells(for: result)) }
    return [caption] + table.lines(indent: "    ")
  }

  private var caption: String {
    let summary = scenario.series.first { $0.name == series }?.summary
    return "  \(series)" + (summary.map { ": " + $0 } ?? "")
  }

  private var references: [String] {
    scenario.references.filter { name in results.contains { $0.peer == name } }
  }
}

extension SeriesTable {
  private var titles: [String] {
    [unit.rawValue] + Percentile.standard.map(\.title) + ["samples"]
      + (references.first.map { ["vs \($0) p50 (range)", "at p99"] } ?? [])
      + references.dropFirst().map { "vs \($0)" }
      + (scenario.extras.contains(.difference) ? ["ns above \(references.first ?? "")"] : [])
      + (scenario.extras.contains(.processorUse) ? ["CPU/wall"] : [])
  }

  private func cells(for result: Report.Result) -> [String] {
    Self.flatten([
      [result.peer],
      Percentile.standard.map { time(result.value(at: $0)) },
      [String(result.count)],
      references.isEmpty ? [] : [ratioWithRange(of: result), ratio(of: result, at: .p99)],
      references.dropFirst().map { ratio(of: result, to: $0) },
      scenario.extras.contains(.difference) ? [difference(of: result)] : [],
      scenario.extras.contains(.processorUse) ? [processorUse(of: result)] : [],
    ])
  }

  private static func flatten(_ parts: [[String]]) -> [String] {
    parts.flatMap { $0 }
  }

  private func time(_ nanoseconds: Double) -> String {
    Decimals.text(nanoseconds / unit.nanoseconds, digits: digits)
  }
}

extension SeriesTable {
  private func comparison(
    of result: Report.Result,
    to reference: String?,
    at percentile: Percentile = .p50
  ) -> Report.Comparison? {
    comparisons.first {
      ($0.peer, $0.reference, $0.percentile) == (result.peer, reference, percentile.label)
    }
  }

  private func ratioWithRange(of result: Report.Result) -> String {
    comparison(of: result, to: references.first).map { comparison in
      let (low, high) = (Self.figures(comparison.ratio.low), Self.figures(comparison.ratio.high))
      return "\(Self.ratio(comparison.ratio.median)) (\(low)..\(high))"
    } ?? ""
  }

  private func ratio(of result: Report.Result, at percentile: Percentile) -> String {
    let comparison = comparison(of: result, to: references.first, at: percentile)
    return comparison.map { Self.ratio($0.ratio.median) } ?? ""
  }

  private func ratio(of result: Report.Result, to reference: String) -> String {
    comparison(of: result, to: reference).map { Self.ratio($0.ratio.median) } ?? ""
  }

  private func difference(of result: Report.Result) -> String {
    comparison(of: result, to: references.first).map { comparison in
      let spread = comparison.difference
      let parts = [spread.median, spread.low, spread.high].map { Decimals.signed($0, digits: 1) }
      return "\(parts[0]) (\(parts[1])..\(parts[2]))"
    } ?? ""
  }

  private func processorUse(of result: Report.Result) -> String {
    result.processorUse.map { Decimals.text($0, digits: 2) } ?? ""
  }

  private static func ratio(_ value: Double) -> String {
    figures(value) + "x"
  }

  private static func figures(_ value: Double) -> String {
    Decimals.text(value, digits: Decimals.digits(for: value))
  }
}
