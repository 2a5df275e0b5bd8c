/// What a report can be written as.
public enum ReportFormat: String, CaseIterable, Sendable {
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
public struct ReportStyle: Equatable, Sendable {
  /// The percentiles, as columns.
  public var percentiles = Percentile.standard
  /// The unit of every time; nil fits each table.
  public var unit: TimeUnit?
  /// Whether verdicts have colours.
  public var usesColor = false
  /// Whether nothing beyond ASCII is written.
  public var isASCII = false
  /// Whether text has a small picture of each distribution.
  public var showsSparklines = true
  /// The most columns a table of text may take: it leaves out the picture first,
  /// then what says less, down to the peer and its p50; `nil` is any.
  public var width: Int?
  /// Scenarios to show; empty is all.
  public var scenarios: [String] = []
  /// Peers to show; empty is all.
  public var peers: [String] = []

  /// Everything, for a file.
  public init() {}
}
