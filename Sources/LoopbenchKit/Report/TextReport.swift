/// Renders a report for people.
public struct TextReport {
  private let report: Report
  private let scenarios: [Scenario]

  /// - Parameter scenarios: Where the descriptions and the extra columns come
  ///   from; a scenario that is not among them is shown without.
  public init(_ report: Report, scenarios: [Scenario]) {
    self.report = report
    self.scenarios = scenarios
  }

  /// The text, ending in a newline.
  public func render() -> String {
    let sections = report.settings.scenarios.map(section)
    let blocks = [header] + sections + (report.warnings.isEmpty ? [] : [warnings])
    return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private var header: [String] {
    let machine = report.machine
    let processor = [machine.cpu, "\(machine.cpus) CPUs", machine.virtualization, machine.os]
    return [
      Self.line([
        "\(report.tool.name) \(report.tool.version)",
        "libuv \(machine.libuv)",
        "Swift \(machine.swift) \(machine.build)",
      ]),
      Self.line(processor),
      Self.line([
        "\(report.settings.rounds) rounds, "
          + RoundOrder.text(report.settings.order, seed: report.seed),
        placement,
      ]),
    ]
  }

  private var placement: String {
    let placement = report.settings.placement
    guard let loop = placement.loop else { return "threads not placed" }
    return placement.producer.map { "loop on CPU \(loop), producer on CPU \($0)" }
      ?? "loop on CPU \(loop)"
  }

  private var warnings: [String] {
    report.warnings.map { "warning \($0.id): \($0.text); \($0.hint)" }
  }

  private static func line(_ parts: [String]) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: " · ")
  }
}

extension TextReport {
  private func section(_ name: String) -> [String] {
    let known = scenarios.first { $0.name == name }
    let scenario = known ?? Scenario(name: name, summary: "", series: [])
    let results = report.results.filter { $0.scenario == name }
    var seen: Set<String> = []
    let names = results.map(\.series).filter { seen.insert($0).inserted }
    let tables = names.flatMap { series in
      SeriesTable(
        scenario: scenario,
        series: series,
        results: results.filter { $0.series == series },
        comparisons: report.comparisons.filter { ($0.scenario, $0.series) == (name, series) }
      ).lines()
    }
    return [scenario.summary.isEmpty ? name : "\(name): \(scenario.summary)"] + tables
  }
}
