/// Renders a report for people.
public struct TextReport {
  private let report: Report
  private let scenarios: [Scenario]
  private let style: ReportStyle

  /// - Parameter scenarios: Where the descriptions and the extra columns come
  ///   from if the report does not have them; a scenario that is not among them
  ///   is shown without.
  public init(_ report: Report, scenarios: [Scenario], style: ReportStyle = ReportStyle()) {
    self.report = report.chosen(by: style)
    self.scenarios = scenarios
    self.style = style
  }

  /// The text, ending in a newline.
  public func render() -> String {
    let blocks = [header] + sections + (report.warnings.isEmpty ? [] : [warnings])
    let text = blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    return style.isASCII ? ASCII.text(text) : text
  }

  private var header: [String] {
    ReportHeader(report).parts.map { $0.joined(separator: " · ").printable }
  }

  private var sections: [[String]] {
    ReportSection.all(in: report, scenarios: scenarios, style: style).map { section in
      [section.caption.printable] + section.tables.flatMap { $0.lines() }
    }
  }

  private var warnings: [String] {
    report.warnings.map { "warning \($0.id): \($0.text); \($0.hint)".printable }
  }
}
