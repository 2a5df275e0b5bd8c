extension ReportComparison {
  /// What a comparison can be written as.
  package static let formats: [ReportFormat] = [.text, .markdown, .json]

  /// The comparison as text, ending in a newline.
  ///
  /// - Precondition: `format` is one of `formats`.
  package func render(as format: ReportFormat, style: ReportStyle = ReportStyle()) -> String {
    switch format {
    case .text: text(style)
    case .markdown: markdown(style)
    case .json: self.json()
    case .ndjson, .csv, .hgrm, .prom:
      preconditionFailure("ReportComparison: the format must be in formats, got \(format)")
    }
  }

  private func text(_ style: ReportStyle) -> String {
    let shown = shown(style)
    var table = TextTable(titles: Self.titles)
    for finding in shown { table.add(finding.cells(style)) }
    let rows = zip(table.lines(indent: "  ").dropFirst(), shown).map { line, finding in
      style.usesColor ? finding.verdict.colored(atEndOf: line) : line
    }
    let lines = table.lines(indent: "  ").prefix(1) + rows + remarks(shown, style).map { "  " + $0 }
    return (lines + ["", conclusion]).joined(separator: "\n") + "\n"
  }

  private func markdown(_ style: ReportStyle) -> String {
    let shown = shown(style)
    let rows = shown.map { $0.cells(style) }
    let lines =
      [Self.row(Self.titles), "|---|" + Self.titles.dropFirst().map { _ in "---:|" }.joined()]
      + rows.map(Self.row)
    let notes = remarks(shown, style).map { "- " + $0 }
    let blocks = [lines, notes, ["**" + conclusion + "**"]].filter { !$0.isEmpty }
    return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }
}

extension ReportComparison {
  private static let titles = [
    "", "base", "new", "ratio (95 %)", "noise", "fails if", "verdict",
  ]

  private func shown(_ style: ReportStyle) -> [Finding] {
    findings.filter { finding in
      (style.scenarios.isEmpty || style.scenarios.contains(finding.scenario))
        && (style.peers.isEmpty || style.peers.contains(finding.peer))
    }
  }

  /// What was measured again, each reason once, then what else a reader should
  /// know.
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
    let size = value / unit.nanoseconds
    return Decimals.text(size, digits: Decimals.digits(for: size)) + unit.rawValue
  }

  /// The interval is the ratio's only where the rule limits the ratio.
  private var ratioText: String {
    guard let ratio else { return "" }
    let text = Decimals.text(ratio, digits: 2) + "x"
    guard rule.contains("%"), let interval else { return text }
    return "\(text) (\(Self.range(interval)))" + (reference.map { " vs \($0)" } ?? "")
  }

  /// What fresh processes said.
  fileprivate func repetition(_ style: ReportStyle) -> String? {
    guard let again else { return nil }
    let times = again.map { figure($0, style) }.joined(separator: ", ")
    return "\(name) again, in fresh processes: \(times)"
  }

  private static func range(_ interval: Interval) -> String {
    Decimals.text(interval.low, digits: 2) + ".." + Decimals.text(interval.high, digits: 2)
  }
}

extension Verdict {
  /// The verdict is the last cell of its row.
  fileprivate func colored(atEndOf line: String) -> String {
    guard let code = colorCode, line.hasSuffix(rawValue) else { return line }
    return line.dropLast(rawValue.count) + "\u{1B}[\(code)m\(rawValue)\u{1B}[0m"
  }

  private var colorCode: Int? {
    switch self {
    case .improved: 32
    case .regressed: 31
    case .inconclusive: 33
    case .unchanged: nil
    }
  }
}
