extension Report {
  /// The report as tables for a terminal.
  func text(scenarios: [Scenario], style: ReportStyle) -> String {
    let header = headerParts.map { $0.joined(separator: " · ").printable }
    let sections = ReportSection.all(in: self, scenarios: scenarios, style: style).map {
      [$0.caption.printable] + $0.tables.flatMap { $0.lines() }
    }
    let warnings = warnings.map { "warning \($0.id): \($0.text); \($0.hint)".printable }
    let text = String(blocks: [header] + sections + [warnings])
    return style.isASCII ? ASCII.text(text) : text
  }

  /// The report as Markdown.
  func markdown(scenarios: [Scenario], style: ReportStyle) -> String {
    var style = style
    // Sparklines do not align in a proportional font.
    style.showsSparklines = false
    style.width = nil
    let header = headerParts.map { "- " + $0.joined(separator: " · ") }
    let sections = ReportSection.all(in: self, scenarios: scenarios, style: style).flatMap {
      [["### \($0.caption)"]] + $0.tables.flatMap { $0.markdown() }
    }
    let warnings = warnings.map { "- **\($0.id)**: \($0.text); \($0.hint)" }
    let text = String(blocks: [header] + sections + [warnings]).printable
    return style.isASCII ? ASCII.text(text) : text
  }
}

extension SeriesTable {
  fileprivate func markdown() -> [[String]] {
    let caption = "`\(series)`" + caption.dropFirst(series.count)
    return [[caption], table?.markdown() ?? [], figures?.markdown() ?? [], notes]
  }
}

extension Report {
  /// The lines above the tables. Each line is a list of parts.
  var headerParts: [[String]] {
    let lines = [
      [
        "\(tool.name) \(tool.version)",
        "libuv \(machine.libuv)",
        "Swift \(machine.swift) \(machine.build)",
      ],
      [machine.cpu, "\(machine.cpus) CPUs", machine.virtualization, machine.os],
      [
        "\(settings.rounds) rounds, "
          + RoundOrder.text(settings.order, seed: seed),
        settings.placement.text,
      ],
      [
        "a sample includes one clock reading of \(TimeText.short(settings.overhead.clockNs));"
          + " recording it afterwards takes \(TimeText.short(settings.overhead.recordNs))"
      ] + paceParts,
      settings.conditions?.parts ?? [],
      labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" },
    ]
    return lines.map { $0.filter { !$0.isEmpty } }.filter { !$0.isEmpty }
  }

  /// The parts that describe the pace. Empty if no series is paced.
  private var paceParts: [String] {
    guard results.contains(where: { $0.kind == .intended && $0.scenario != "replay" }) else {
      return []
    }
    return ["open loop at \(settings.pace.text)"]
  }
}

/// The part of a report about one scenario.
struct ReportSection {
  let scenario: Report.Description
  let tables: [SeriesTable]

  /// The name and the description.
  var caption: String {
    scenario.scenario + (scenario.summary.isEmpty ? "" : ": \(scenario.summary)")
  }

  /// One section for each scenario of `report`, in the order of the run.
  static func all(in report: Report, scenarios: [Scenario], style: ReportStyle) -> [Self] {
    let wanted = report.settings.scenarios.filter {
      style.scenarios.isEmpty || style.scenarios.contains($0)
    }
    return (wanted + report.results.map(\.scenario)).uniqued().map { name in
      let scenario = report.description(of: name, among: scenarios)
      let figures = scenarios.first { $0.name == name }?.figures ?? []
      let series = report.results.filter { $0.scenario == name }.map(\.series).uniqued()
      let tables = series.map {
        SeriesTable(report, scenario: scenario, figures: figures, series: $0, style: style)
      }
      return ReportSection(scenario: scenario, tables: tables)
    }
  }
}
