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
  case ndjson
  /// One line for each peer in each series.
  case csv
  /// HdrHistogram's percentile distribution, for its plotters.
  case hgrm
  /// Prometheus' text format.
  case prom
}

/// The style of a report. Formats for programs use only the percentiles and the chosen
/// scenarios and peers.
package struct ReportStyle: Equatable, Sendable {
  /// The percentile columns.
  package var percentiles = Percentile.standard
  /// The unit of all times. If nil, each table has a unit that fits its times.
  package var unit: TimeUnit?
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
    case .ndjson: NDJSONReport.render(report)
    case .csv:
      CSVReport(report: report, percentiles: style.percentiles.filter { $0 != .max }).render()
    case .hgrm: report.results.map { HgrmBlock(result: $0).text }.joined(separator: "\n")
    case .prom: PromReport(report: report, quantiles: style.percentiles).render()
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

/// Renders a line of JSON for each peer in each series. The line contains a result
/// as in `loopbench/1`, and the seed and labels of the run, which distinguish runs.
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

/// Renders HdrHistogram's percentile distribution of one result. Values are in ms.
///
/// There is a line for each step of the percentile. As in HdrHistogram, the distance
/// to 100 % halves every five steps.
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

  /// The number of steps between `level` and 1.
  private static func steps(at level: Double) -> Double {
    let halvings = Logarithm.binary(1 / (1 - level)).rounded(.down) + 1
    let rest = (1 - level) * (0..<Int(halvings)).reduce(1.0) { power, _ in power * 2 }
    return stepsPerHalf * rest
  }

  private static func row(_ value: Double, at level: Double, seen: UInt64) -> String {
    let cells = [milliseconds(value), Decimals.text(level, digits: 12), String(seen)]
    // The last line leaves this column out, because its value would be infinite.
    let inverse = level < 1 ? [Decimals.text(1 / (1 - level), digits: 2)] : []
    return padded(cells + inverse, to: [14, 14, 10, 16])
  }

  private var footer: [String] {
    [
      "#[Mean    = \(Self.milliseconds(result.mean)), "
        + "StdDeviation   = \(Self.milliseconds(result.stddev))]",
      "#[Max     = \(Self.milliseconds(result.max)), Total count    = \(result.count)]",
      "#[Buckets = \(result.histogram.pairs.count), SubBuckets     = \(1 << Histogram.subBits)]",
      // A newline in a name must not end the comment.
      "#[Series  = \(result.scenario) \(result.series) \(result.peer), Unit = ms]"
        .escapingControls(),
    ]
  }

  /// Formats a time in ms, down to picoseconds, which are the resolution of the
  /// histogram.
  private static func milliseconds(_ nanoseconds: Double) -> String {
    Decimals.text(nanoseconds / 1_000_000, digits: 9)
  }

  private static func padded(_ cells: [String], to widths: [Int]) -> String {
    zip(cells, widths).map { $0.padded(to: $1) }.joined(separator: " ")
  }
}
