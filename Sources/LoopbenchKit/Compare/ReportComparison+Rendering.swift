extension ReportComparison {
  /// The formats of a comparison.
  package static let formats: [ReportFormat] = [.text, .markdown, .json]

  /// The comparison as text that ends in a newline.
  ///
  /// - Precondition: `format` is one of `formats`.
  package func render(as format: ReportFormat, style: ReportStyle = ReportStyle()) -> String {
    let shown = findings.filter { style.shows(scenario: $0.scenario, peer: $0.peer) }
    var table = TextTable(titles: Self.titles)
    for finding in shown { table.add(finding.cells(style)) }
    let remarks = remarks(shown, style)
    switch format {
    case .text:
      let rows = table.lines(indent: "  ", style: ANSIStyle(isOn: style.usesColor))
      return String(blocks: [rows + remarks.map { "  " + $0 }, [conclusion]])
    case .markdown:
      return String(blocks: [table.markdown(), remarks.map { "- " + $0 }, ["**\(conclusion)**"]])
    case .json: return self.json()
    case .ndjson, .csv, .hgrm, .prom:
      fatalError("ReportComparison: the format must be in formats, got \(format)")
    }
  }

  private static let titles = [
    "", "base", "new", "ratio (95 %)", "noise", "fails if", "verdict",
  ]

  /// The times that were measured again, followed by the reasons without duplicates
  /// and the notes.
  private func remarks(_ shown: [Finding], _ style: ReportStyle) -> [String] {
    let reasons = shown.compactMap { finding in finding.reason.map { "inconclusive: " + $0 } }
    return shown.compactMap { $0.repetition(style) } + reasons.uniqued()
      + notes.map { "note: " + $0 }
  }

  private var conclusion: String {
    let counts = Verdict.allCases.compactMap { verdict -> String? in
      let count = findings.filter { $0.verdict == verdict }.count
      return count > 0 ? "\(count) \(verdict.rawValue)" : nil
    }
    let advice = verdict == .improved ? "; loopbench baseline save NAME FILE keeps it" : ""
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
