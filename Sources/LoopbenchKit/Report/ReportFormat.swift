/// What a report can be written as.
package enum ReportFormat: String, CaseIterable, Sendable {
  /// Tables for people.
  case text
  /// The same, for an issue or a page.
  case markdown
  /// Everything, schema `loopbench/1`.
  case json
  /// One line of JSON for each peer in each series.
  case ndjson
  /// One line for each peer in each series.
  case csv
  /// HdrHistogram's percentile distribution, which its plotters read.
  case hgrm
  /// Prometheus' text format.
  case prom
}

/// How a report is shown. Machine formats take no notice of it but for what is
/// chosen.
package struct ReportStyle: Equatable, Sendable {
  /// The percentiles, as columns.
  package var percentiles = Percentile.standard
  /// The unit of every time; nil fits each table.
  package var unit: TimeUnit?
  /// Whether verdicts have colours.
  package var usesColor = false
  /// Whether nothing beyond ASCII is written.
  package var isASCII = false
  /// Whether text has a small picture of each distribution.
  package var showsSparklines = true
  /// The most columns a table of text may take: it leaves out the picture first,
  /// then what says less, down to the peer and its p50; `nil` is any.
  package var width: Int?
  /// Scenarios to show; empty is all.
  package var scenarios: [String] = []
  /// Peers to show; empty is all.
  package var peers: [String] = []

  /// Everything, for a file.
  package init() {}
}

extension Report {
  /// The report in `format`, ending in a newline.
  ///
  /// - Parameters:
  ///   - style: What is shown; formats for programs take no notice of its
  ///     colours, signs and unit.
  ///   - scenarios: Where the descriptions and the extra columns come from if the
  ///     report does not have them.
  package func rendered(
    as format: ReportFormat,
    style: ReportStyle = ReportStyle(),
    scenarios: [Scenario] = []
  ) -> String {
    let report = chosen(by: style)
    return switch format {
    case .text: report.text(scenarios: scenarios, style: style)
    case .markdown: report.markdown(scenarios: scenarios, style: style)
    case .json: report.json()
    case .ndjson: NDJSONReport.render(report)
    case .csv:
      CSVReport(report: report, percentiles: style.percentiles.filter { $0 != .max }).render()
    case .hgrm: report.results.map { HgrmBlock(result: $0).text }.joined(separator: "\n")
    case .prom: PromReport(report: report, quantiles: style.percentiles).render()
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

/// Renders a line of JSON for each peer in each series: a result as in
/// `loopbench/1`, with the run's seed and labels, so that lines of several runs
/// can be told apart.
enum NDJSONReport {
  static func render(_ report: Report) -> String {
    report.results.map {
      Line(result: $0, seed: report.seed, labels: report.labels).json(isPretty: false)
    }.joined()
  }

  private struct Line: Encodable {
    let result: Report.Result
    let seed: UInt64
    let labels: [String: String]

    private enum Key: CodingKey {
      case seed
      case labels
    }

    func encode(to encoder: any Encoder) throws {
      try result.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(seed, forKey: .seed)
      try container.encode(labels, forKey: .labels)
    }
  }
}

/// Renders a line for each peer in each series, as RFC 4180 says. Times in ns.
struct CSVReport {
  let report: Report
  /// Without the largest sample, which has a column already.
  let percentiles: [Percentile]

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
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}

/// HdrHistogram's percentile distribution of one result, which its plotters read: values
/// in ms, a line for each step of the percentile, with
/// five steps to every halving of what is left, as HdrHistogram makes them.
struct HgrmBlock {
  let result: Report.Result

  private static let stepsPerHalf = 5.0

  var text: String { ([title, ""] + rows + footer).joined(separator: "\n") + "\n" }

  private var title: String {
    Self.padded(["Value", "Percentile", "TotalCount", "1/(1-Percentile)"], to: [14, 14, 10, 16])
  }

  private var rows: [String] {
    var rows: [String] = []
    var seen: UInt64 = 0
    var level = 0.0
    for bucket in result.histogram.buckets {
      seen += bucket.count
      let value = min(max(bucket.middle, result.min), result.max)
      while seen < result.count, Double(seen) / Double(result.count) >= level {
        rows.append(Self.row(value, at: level, seen: seen))
        level += (1 - level) / Self.steps(at: level)
      }
    }
    return rows + [Self.row(result.max, at: 1, seen: result.count)]
  }

  /// Into how many steps what is left above `level` is cut.
  private static func steps(at level: Double) -> Double {
    let halvings = Logarithm.binary(1 / (1 - level)).rounded(.down) + 1
    let rest = (1 - level) * (0..<Int(halvings)).reduce(1.0) { power, _ in power * 2 }
    return stepsPerHalf * rest
  }

  private static func row(_ value: Double, at level: Double, seen: UInt64) -> String {
    let cells = [milliseconds(value), Decimals.text(level, digits: 12), String(seen)]
    // The last line has no fourth column: it would be infinite.
    let inverse = level < 1 ? [Decimals.text(1 / (1 - level), digits: 2)] : []
    return padded(cells + inverse, to: [14, 14, 10, 16])
  }

  private var footer: [String] {
    [
      "#[Mean    = \(Self.milliseconds(result.mean)), "
        + "StdDeviation   = \(Self.milliseconds(result.stddev))]",
      "#[Max     = \(Self.milliseconds(result.max)), Total count    = \(result.count)]",
      "#[Buckets = \(result.histogram.pairs.count), SubBuckets     = \(1 << Histogram.subBits)]",
      "#[Series  = \(result.scenario) \(result.series) \(result.peer), Unit = ms]",
    ]
  }

  /// To the picosecond, like the histogram.
  private static func milliseconds(_ nanoseconds: Double) -> String {
    Decimals.text(nanoseconds / 1_000_000, digits: 9)
  }

  private static func padded(_ cells: [String], to widths: [Int]) -> String {
    zip(cells, widths).map { cell, width in
      String(repeating: " ", count: max(0, width - cell.count)) + cell
    }.joined(separator: " ")
  }
}
