extension ReportComparison {
  /// The formats of a comparison.
  package static let formats: [ReportFormat] = [.text, .markdown, .json]

  /// The comparison as text that ends in a newline.
  ///
  /// - Precondition: `format` is one of `formats`.
  package func render(as format: ReportFormat, style: ReportStyle = ReportStyle()) -> String {
    let shown = findings.filter { style.shows(scenario: $0.scenario, peer: $0.peer) }
    let remarks = remarks(shown)
    switch format {
    case .text:
      let width = style.width ?? .max
      let fitting = columns.fitting(width, indent: "  ", shown)
      let rows = TextTable(fitting, shown).lines(
        indent: "  ",
        style: ANSIStyle(isOn: style.usesColor)
      )
      let notes = remarks.flatMap { ("  " + $0).wrapped(to: width, indent: 4) }
      return String(blocks: [rows + notes, conclusion(style).wrapped(to: width, indent: 2)])
    case .markdown:
      let table = TextTable(columns, shown)
      return String(
        blocks: [table.markdown(), remarks.map { "- " + $0 }, ["**\(conclusion(style))**"]]
      )
    case .json: return self.json()
    case .csv: fatalError("ReportComparison: the format must be in formats, got csv")
    }
  }

  /// The order in which a narrow table leaves out columns. The name and the verdict stay.
  private enum Rank: CaseIterable {
    case noise
    case rule
    case base
    case new
    case ratio
    case always
  }

  private var columns: [TableColumn<Finding, Rank>] {
    [
      TableColumn(title: "", rank: .always, isLeft: true) { $0.name },
      TableColumn(title: "base", rank: .base) { $0.figure($0.base) ?? "" },
      TableColumn(title: "new", rank: .new) { $0.figure($0.new) ?? "-" },
      TableColumn(title: "ratio (95 %)", rank: .ratio) { $0.ratioText },
      TableColumn(title: "noise", rank: .noise) { $0.noise.map(Finding.range) ?? "" },
      TableColumn(title: "fails if", rank: .rule) { $0.rule },
      TableColumn(title: "verdict", rank: .always) { $0.verdict.rawValue },
    ]
  }

  /// The times that were measured again, followed by the reasons without duplicates
  /// and the notes.
  private func remarks(_ shown: [Finding]) -> [String] {
    let reasons = shown.compactMap { finding in finding.reason.map { "inconclusive: " + $0 } }
    return
      (shown.compactMap(\.repetition) + reasons.uniqued()
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
  fileprivate func figure(_ value: Double?) -> String? {
    guard let value else { return nil }
    if metric == "missed" { return Decimals.text(value, digits: 0) }
    let unit = TimeUnit.fitting([base, new].compactMap { $0 })
    return unit.figures(value) + unit.rawValue
  }

  /// The ratio, with its interval if the rule limits the ratio.
  fileprivate var ratioText: String {
    guard let ratio else { return "" }
    let text = Decimals.text(ratio, digits: 2) + "x"
    guard rule.contains("%"), let interval else { return text }
    return "\(text) (\(Self.range(interval)))" + (reference.map { " vs \($0)" } ?? "")
  }

  /// The times that fresh processes measured.
  fileprivate var repetition: String? {
    guard let again else { return nil }
    let times = again.compactMap(figure).joined(separator: ", ")
    return "\(name) again, in fresh processes: \(times)"
  }

  fileprivate static func range(_ interval: Interval) -> String {
    Decimals.text(interval.low, digits: 2) + ".." + Decimals.text(interval.high, digits: 2)
  }
}
