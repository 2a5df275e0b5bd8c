extension ReportComparison {
  /// The formats of a comparison.
  package static let formats: [ReportFormat] = [.text, .markdown, .json]

  /// The comparison as text that ends in a newline.
  ///
  /// - Precondition: `format` is one of `formats`.
  package func render(as format: ReportFormat, style: ReportStyle = ReportStyle()) -> String {
    let shown = findings.filter { style.shows(scenario: $0.scenario, peer: $0.peer) }
    let remarks = remarks(shown, style)
    switch format {
    case .text:
      let width = style.width ?? .max
      let table = table(of: shown, style, width: width)
      let rows = table.lines(indent: "  ", style: ANSIStyle(isOn: style.usesColor))
      let notes = remarks.flatMap { ("  " + $0).wrapped(to: width, indent: 4) }
      return String(blocks: [rows + notes, conclusion(style).wrapped(to: width, indent: 2)])
    case .markdown:
      let table = table(of: shown, style)
      return String(
        blocks: [table.markdown(), remarks.map { "- " + $0 }, ["**\(conclusion(style))**"]]
      )
    case .json: return self.json()
    case .ndjson, .csv, .hgrm, .prom:
      fatalError("ReportComparison: the format must be in formats, got \(format)")
    }
  }

  private static let titles = [
    "", "base", "new", "ratio (95 %)", "noise", "fails if", "verdict",
  ]
  /// The order in which a narrow table leaves out columns. The name and the verdict stay.
  private static let dropped = ["noise", "fails if", "base", "new", "ratio (95 %)"]

  /// The table with the columns that fit into `width`, if possible.
  private func table(
    of shown: [Finding],
    _ style: ReportStyle,
    width: Int = .max
  ) -> TextTable {
    func table(without left: ArraySlice<String>) -> TextTable {
      let columns = Self.titles.indices.filter { !left.contains(Self.titles[$0]) }
      var table = TextTable(titles: columns.map { Self.titles[$0] })
      for finding in shown {
        let cells = finding.cells(style)
        table.add(columns.map { cells[$0] })
      }
      return table
    }
    let tables = (0...Self.dropped.count).lazy.map { table(without: Self.dropped.prefix($0)) }
    return tables.first { $0.lines(indent: "  ").allSatisfy { $0.count <= width } }
      ?? table(without: Self.dropped[...])
  }

  /// The times that were measured again, followed by the reasons without duplicates
  /// and the notes.
  private func remarks(_ shown: [Finding], _ style: ReportStyle) -> [String] {
    let reasons = shown.compactMap { finding in finding.reason.map { "inconclusive: " + $0 } }
    return
      (shown.compactMap { $0.repetition(style) } + reasons.uniqued()
      + notes.map { "note: " + $0 }).map(\.printable)
  }

  private func conclusion(_ style: ReportStyle) -> String {
    let counts = Verdict.allCases.compactMap { verdict -> String? in
      let count = findings.filter { $0.verdict == verdict }.count
      return count > 0 ? "\(count) \(verdict.rawValue)" : nil
    }
    let advice = verdict == .improved ? "; \(style.program) baseline save NAME FILE keeps it" : ""
    return "verdict: \(verdict.rawValue) (\(counts.joined(separator: ", ")))\(advice)"
  }
}

extension ReportComparison.Finding {
  fileprivate func cells(_ style: ReportStyle) -> [String] {
    [
      name,
      base.map { figure($0, style) } ?? "",
      new.map { figure($0, style) } ?? "-",
      ratioText,
      noise.map { Self.range($0) } ?? "",
      rule,
      verdict.rawValue,
    ]
  }

  private func figure(_ value: Double, _ style: ReportStyle) -> String {
    if metric == "missed" { return Decimals.text(value, digits: 0) }
    let unit = style.unit ?? TimeUnit.fitting([base, new].compactMap { $0 })
    return unit.figures(value) + unit.rawValue
  }

  /// The ratio, with its interval if the rule limits the ratio.
  private var ratioText: String {
    guard let ratio else { return "" }
    let text = Decimals.text(ratio, digits: 2) + "x"
    guard rule.contains("%"), let interval else { return text }
    return "\(text) (\(Self.range(interval)))" + (reference.map { " vs \($0)" } ?? "")
  }

  /// The times that fresh processes measured.
  fileprivate func repetition(_ style: ReportStyle) -> String? {
    guard let again else { return nil }
    let times = again.map { figure($0, style) }.joined(separator: ", ")
    return "\(name) again, in fresh processes: \(times)"
  }

  private static func range(_ interval: Interval) -> String {
    Decimals.text(interval.low, digits: 2) + ".." + Decimals.text(interval.high, digits: 2)
  }
}
