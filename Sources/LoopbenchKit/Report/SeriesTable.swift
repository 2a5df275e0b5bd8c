/// The part of a report about one series, with a row for each peer.
struct SeriesTable {
  let scenario: Report.Description
  let series: String
  let results: [Report.Result]
  let comparisons: [Report.Comparison]
  /// The noise floor of p50. Nil if no peer has a twin.
  let noise: Report.Noise?
  /// The reasons to doubt the verdicts: "busy".
  let spoils: [String]
  let style: ReportStyle
  let unit: TimeUnit
  let digits: Int

  /// Selects the results of one series. Twins come last.
  init(_ report: Report, scenario: Report.Description, series: String, style: ReportStyle) {
    let name = scenario.scenario
    let results = report.results.filter { ($0.scenario, $0.series) == (name, series) }
    self.scenario = scenario
    self.series = series
    self.results = results.filter { !$0.isTwin } + results.filter(\.isTwin)
    comparisons = report.comparisons.filter { ($0.scenario, $0.series) == (name, series) }
    noise = report.noise(in: name, series)
    spoils = report.warnings.compactMap(\.spoil)
    self.style = style
    let medians = results.compactMap { $0.value(at: .p50) }
    unit = TimeUnit.fitting(medians)
    digits = Decimals.digits(for: (medians.min() ?? 0) / unit.nanoseconds)
  }

  /// The name and the description.
  var caption: String {
    let summary = scenario.series.first { $0.name == series }?.summary
    return series + (summary.map { ": " + $0 } ?? "")
  }

  /// The table of times. Nil for a generator's lag, which is reported in a note
  /// instead.
  var table: TextTable? {
    isLag ? nil : TextTable(columns, results)
  }

  /// The lines below the table.
  var notes: [String] {
    if isLag { return [lag] }
    let own = isCompanion ? [] : missed + counts
    return unresolved + reasons + own
  }

  func lines() -> [String] {
    let ansi = ANSIStyle(isOn: style.usesColor)
    let width = style.width ?? .max
    let rows = table?.lines(indent: Self.indent, style: ansi) ?? []
    let parts = figures?.divided(to: width, indent: Self.indent) ?? []
    let stated = parts.flatMap { $0.lines(indent: Self.indent) }
    let texts = [("  " + caption, 4)] + notes.map { (Self.indent + $0, 6) }
    let wrapped = texts.map { $0.0.printable.wrapped(to: width, indent: $0.1) }
    return wrapped[0] + rows + stated + wrapped.dropFirst().flatMap { $0 }
  }

  /// The table of the scenario's figures. Nil if the scenario has no figures.
  var figures: TextTable? {
    guard !isCompanion, let stated = scenario.figures,
      results.contains(where: { !$0.figures.isEmpty })
    else { return nil }
    var table = TextTable(titles: [""] + stated.map(\.title))
    for result in results {
      table.add([result.peer] + stated.map { $0.text(result.figures[$0.name]) })
    }
    return table
  }

  static let indent = "    "

  /// Whether another series of the scenario already shows the notes and figures.
  private var isCompanion: Bool {
    scenario.series.contains { $0.name == series && $0.companionOf != nil }
  }

  private var isLag: Bool { results.allSatisfy { $0.kind == .lag } }
}

extension SeriesTable {
  /// The number of missed operations. Empty if it is 0 and the series is not an open
  /// loop.
  private var missed: [String] {
    let total = results.reduce(0) { $0 + $1.missed }
    guard total > 0 || results.contains(where: { $0.kind == .intended }) else { return [] }
    let peers = results.filter { $0.missed > 0 }.map { "\($0.peer) \($0.missed)" }
    return ["\(total) missed" + (peers.isEmpty ? "" : ": " + peers.joined(separator: ", "))]
  }

  /// The explanation of `-` in the shown percentile columns.
  private var unresolved: [String] {
    let shown = columns.map(\.title)
    let missing = style.percentiles.filter { percentile in
      shown.contains(percentile.title)
        && results.contains { !percentile.isResolved(by: $0.count) }
    }
    let titles = missing.map(\.title).joined(separator: ", ")
    return missing.isEmpty ? [] : ["-: too few samples to tell \(titles) from the largest sample"]
  }

  /// The reasons for the shown verdicts that the ratio does not explain. Peers with
  /// the same verdict and reason share a line.
  private var reasons: [String] {
    guard columns.contains(where: { $0.rank == .verdict }) else { return [] }
    let rows = results.filter { !$0.isTwin && !isFloor($0) }.compactMap { result in
      comparison(of: result, to: references.first).flatMap { comparison in
        comparison.reason(noise).map {
          (peer: result.peer, text: "\(comparison.verdict.rawValue): \($0)")
        }
      }
    }
    return rows.map(\.text).uniqued().map { text in
      rows.filter { $0.text == text }.map(\.peer).joined(separator: ", ") + " " + text
    }
  }

  func isFloor(_ result: Report.Result) -> Bool {
    scenario.floors.contains(result.peer)
  }

  /// The counters of each peer.
  private var counts: [String] {
    results.filter { !$0.counts.isEmpty && $0.figures.isEmpty }.map {
      result in
      let counts = result.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      return "\(result.peer): " + counts.joined(separator: ", ")
    }
  }

  private var lag: String {
    let percentile =
      results.allSatisfy { Percentile.p999.isResolved(by: $0.count) } ? Percentile.p999 : .max
    let peers = results.map { "\($0.peer) \($0.value(at: percentile).map(TimeText.short) ?? "-")" }
    return "generator lag \(percentile.title): " + peers.joined(separator: " · ")
  }
}

extension SeriesTable {
  typealias Column = TableColumn<Report.Result, Rank>

  /// The order in which a narrow table leaves out columns.
  enum Rank: CaseIterable {
    case interval
    case picture
    case extra
    case otherReference
    case samples
    case ratioAtTail
    case otherPercentile
    case ratio
    case verdict
    /// p99 and above.
    case tail
    /// The peer and its median, which are never left out.
    case always
  }

  /// The columns that fit into `style.width`. Columns of `Rank.always` are always
  /// included.
  var columns: [Column] {
    let width = style.width ?? .max
    var columns = allColumns
    // A column without a value tells less than any other. The highest percentiles are at the
    // right.
    while !TextTable(columns, results).fits(width, indent: Self.indent),
      let last = columns.lastIndex(where: { column in
        column.rank != .always && results.allSatisfy { column.cell($0) == "-" }
      })
    {
      columns.remove(at: last)
    }
    return columns.fitting(width, indent: Self.indent, results)
  }
}
