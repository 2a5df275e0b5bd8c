private import LoopTransactions

/// The formats of a report.
package enum ReportFormat: String, CaseIterable, Sendable {
  /// Tables for people.
  case text
  /// The tables as Markdown.
  case markdown
  /// The whole report, with schema `loopbench/1`.
  case json
  /// One line of JSON for each peer in each series.
  /// One line for each peer in each series.
  case csv
  /// HdrHistogram's percentile distribution, for its plotters.
  /// Prometheus' text format.
}

/// The style of a report. Formats for programs use only the percentiles and the chosen
/// scenarios and peers.
package struct ReportStyle: Equatable, Sendable {
  /// The percentile columns.
  package var percentiles = Percentile.standard
  /// Whether to colour verdicts.
  package var usesColor = false
  /// Whether to write only ASCII.
  package var isASCII = false
  /// Whether text tables contain a sparkline of each distribution.
  package var showsSparklines = true
  /// The maximum width of a text table. A table that would be wider leaves out
  /// columns, the sparkline first, but never the peer and its p50. Nil means no
  /// limit.
  package var width: Int?
  /// The scenarios to show. Empty shows all.
  package var scenarios: [String] = []
  /// The peers to show. Empty shows all.
  package var peers: [String] = []
  /// The name of the program in commands for the reader.
  package var program = "loopbench"

  /// Creates the style for a file, which shows everything.
  package init() {}

  /// Returns `advice` with `program` in its commands: `scripts/loopbench list`.
  func naming(_ advice: String) -> String {
    advice.naming(program)
  }
}

extension String {
  /// The text with `program` in its commands instead of `loopbench`.
  package func naming(_ program: String) -> String {
    replacing("loopbench ", with: program + " ")
  }
}

extension Report {
  /// The report in `format`, ending in a newline.
  package func rendered(as format: ReportFormat, style: ReportStyle = ReportStyle()) -> String {
    let report = chosen(by: style)
    return switch format {
    case .text: report.text(style)
    case .markdown: report.markdown(style)
    case .json: report.json()
    case .csv:
      CSVReport(report: report, percentiles: style.percentiles.filter { $0 != .max }).render()
    }
  }

  /// The report with only the scenarios and peers that `style` shows.
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
  func shows(scenario: String, peer: String) -> Bool {
    (scenarios.isEmpty || scenarios.contains(scenario)) && (peers.isEmpty || peers.contains(peer))
  }
}

/// Renders a line for each peer in each series as CSV (RFC 4180). Times are in ns.
struct CSVReport {
  let report: Report
  /// The percentile columns, without `.max`, which has its own column.
  let percentiles: [Percentile]

  func render() -> String {
    ([titles] + report.results.map(fields)).reduce(into: "") { text, fields in
      text +=
        fields.map { Self.field($0.escapingControls(except: "\n")) }.joined(separator: ",") + "\r\n"
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

  /// Quotes the field if necessary.
  private static func field(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
      return text
    }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
