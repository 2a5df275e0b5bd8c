/// Renders a line for each peer in each series, as RFC 4180 says. Times in ns.
struct CSVReport {
  private let report: Report
  private let percentiles: [Percentile]

  init(_ report: Report, percentiles: [Percentile]) {
    self.report = report
    // The largest sample has a column already.
    self.percentiles = percentiles.filter { $0 != .max }
  }

  func render() -> String {
    ([titles] + report.results.map(fields)).reduce(into: "") { text, fields in
      text += fields.map(Self.field).joined(separator: ",") + "\r\n"
    }
  }

  private var titles: [String] {
    ["scenario", "series", "peer", "kind", "twin", "unit", "count", "missed", "min"]
      + percentiles.map(\.title) + ["max", "mean", "stddev"]
  }

  private func fields(of result: Report.Result) -> [String] {
    [
      result.scenario, result.series, result.peer, result.kind.rawValue, String(result.isTwin),
      result.unit, String(result.count), String(result.missed), Decimals.shortest(result.min),
    ]
      + percentiles.map { result.value(at: $0).map(Decimals.shortest) ?? "" }
      + [result.max, result.mean, result.stddev].map(Decimals.shortest)
  }

  /// In quotes where it has to be.
  private static func field(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
      return text
    }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}
