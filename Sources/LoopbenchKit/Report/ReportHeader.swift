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
    let pace = report.settings.pace
    return ["open loop at \(Decimals.exact(pace.rate))/s \(pace.arrival.rawValue)"]
  }

  private static func placement(_ placement: Placement) -> String {
    guard let loop = placement.loop else { return "threads not placed" }
    return placement.producer.map { "loop on CPU \(loop), producer on CPU \($0)" }
      ?? "loop on CPU \(loop)"
  }
}
