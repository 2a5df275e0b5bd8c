/// Renders a report for people.
package struct TextReport {
  private let report: Report
  private let scenarios: [Scenario]
  private let style: ReportStyle

  /// - Parameter scenarios: Where the descriptions and the extra columns come
  ///   from if the report does not have them; a scenario that is not among them
  ///   is shown without.
  package init(_ report: Report, scenarios: [Scenario], style: ReportStyle = ReportStyle()) {
    self.report = report.chosen(by: style)
    self.scenarios = scenarios
    self.style = style
  }

  /// The text, ending in a newline.
  package func render() -> String {
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

/// What is said above the figures, for people.
struct ReportHeader {
  /// Lines of facts.
  let parts: [[String]]

  init(_ report: Report) {
    let machine = report.machine
    let lines = [
      [
        "\(report.tool.name) \(report.tool.version)",
        "libuv \(machine.libuv)",
        "Swift \(machine.swift) \(machine.build)",
      ],
      [machine.cpu, "\(machine.cpus) CPUs", machine.virtualization, machine.os],
      [
        "\(report.settings.rounds) rounds, "
          + RoundOrder.text(report.settings.order, seed: report.seed),
        Self.placement(report.settings.placement),
      ],
      [Self.overhead(report.settings.overhead)] + Self.pace(of: report),
      report.settings.conditions?.parts ?? [],
      report.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" },
    ]
    parts = lines.map { $0.filter { !$0.isEmpty } }.filter { !$0.isEmpty }
  }

  private static func overhead(_ overhead: Overhead) -> String {
    "a sample contains one clock reading of \(TimeText.short(overhead.clockNs)),"
      + " and is recorded afterwards in \(TimeText.short(overhead.recordNs))"
  }

  /// Of no use where nothing is paced.
  private static func pace(of report: Report) -> [String] {
    guard report.results.contains(where: { $0.kind == .intended && $0.scenario != "replay" }) else {
      return []
    }
    return ["open loop at \(report.settings.pace.text)"]
  }

  private static func placement(_ placement: Placement) -> String {
    guard let loop = placement.loop else { return "threads not placed" }
    return placement.producer.map { "loop on CPU \(loop), producer on CPU \($0)" }
      ?? "loop on CPU \(loop)"
  }
}

/// The part of a report about one scenario, for people.
struct ReportSection {
  let scenario: Scenario
  let tables: [SeriesTable]

  /// Name and description.
  var caption: String {
    scenario.summary.isEmpty ? scenario.name : "\(scenario.name): \(scenario.summary)"
  }

  /// A section for each scenario of `report`, in the order they were chosen in.
  static func all(in report: Report, scenarios: [Scenario], style: ReportStyle) -> [Self] {
    let wanted = report.settings.scenarios.filter {
      style.scenarios.isEmpty || style.scenarios.contains($0)
    }
    return (wanted + report.results.map(\.scenario)).uniqued().map { name in
      let scenario = report.scenario(named: name, among: scenarios)
      let series = report.results.filter { $0.scenario == name }.map(\.series).uniqued()
      let tables = series.map {
        SeriesTable(report, scenario: scenario, series: $0, style: style)
      }
      return ReportSection(scenario: scenario, tables: tables)
    }
  }
}
