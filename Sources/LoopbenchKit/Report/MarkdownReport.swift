/// Renders a report for an issue or a page, in GitHub's Markdown.
struct MarkdownReport {
  private let report: Report
  private let scenarios: [Scenario]
  private let style: ReportStyle

  init(_ report: Report, scenarios: [Scenario], style: ReportStyle) {
    self.report = report
    self.scenarios = scenarios
    var style = style
    // A line of blocks would lose its place in a proportional font.
    style.showsSparklines = false
    style.width = nil
    self.style = style
  }

  func render() -> String {
    let blocks = [header] + sections.flatMap { $0 } + (report.warnings.isEmpty ? [] : [warnings])
    let text = blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    return (style.isASCII ? ASCII.text(text) : text).printable
  }

  private var header: [String] {
    ReportHeader(report).parts.map { "- " + $0.joined(separator: " · ") }
  }

  private var sections: [[[String]]] {
    ReportSection.all(in: report, scenarios: scenarios, style: style).map { section in
      [["### \(section.caption)"]] + section.tables.flatMap(Self.blocks)
    }
  }

  private static func blocks(for table: SeriesTable) -> [[String]] {
    [["`\(table.series)`" + table.caption.dropFirst(table.series.count)]]
      + (table.table.map { [$0.markdown()] } ?? [])
      + (table.figures.map { [$0.markdown()] } ?? [])
      + (table.notes.isEmpty ? [] : [table.notes])
  }

  private var warnings: [String] {
    report.warnings.map { "- **\($0.id)**: \($0.text); \($0.hint)" }
  }
}
