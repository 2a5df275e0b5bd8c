extension Report {
  /// The report as tables for a terminal.
  func text(_ style: ReportStyle) -> String {
    func lines(_ texts: [String], indent: Int = 2) -> [String] {
      texts.flatMap { $0.printable.wrapped(to: style.width ?? .max, indent: indent) }
    }
    let header = headerParts.map { $0.joined(separator: " · ") }
    let all = ReportSection.all(in: self, style: style)
    let sections = all.map { lines([$0.caption]) + $0.tables.flatMap { $0.lines() } }
    let warned = [true, false].map { isSpoiling in
      lines(warnings.filter { ($0.spoil != nil) == isSpoiling }.map { $0.line(style) })
    }
    let text = String(
      blocks: [lines(header), warned[0], lines(legend(of: all))] + sections
        + [lines(figureLegend(of: all), indent: 6), warned[1]]
    )
    return style.isASCII ? ASCII.text(text) : text
  }

  /// The report as Markdown.
  func markdown(_ style: ReportStyle) -> String {
    var style = style
    // Sparklines do not align in a proportional font.
    style.showsSparklines = false
    style.width = nil
    let header = headerParts.map { "- " + $0.joined(separator: " · ") }
    let all = ReportSection.all(in: self, style: style)
    let sections = all.flatMap { [["### \($0.caption)"]] + $0.tables.flatMap { $0.markdown() } }
    let warned = [true, false].map { isSpoiling in
      warnings.filter { ($0.spoil != nil) == isSpoiling }.map {
        "- **\($0.id)**: \($0.text); \(style.naming($0.hint))"
      }
    }
    let legends = [legend(of: all), figureLegend(of: all)].map { $0.map { "- " + $0 } }
    let text = String(
      blocks: [header, warned[0], legends[0]] + sections + [legends[1], warned[1]]
    ).printable
    return style.isASCII ? ASCII.text(text) : text
  }
}

extension Warning {
  /// The warning as one line of a text report.
  fileprivate func line(_ style: ReportStyle) -> String {
    "warning \(id): \(text); \(style.naming(hint))"
  }
}

extension Report {
  /// Explains the names of the peers.
  private func legend(of sections: [ReportSection]) -> [String] {
    let peers = results.map(\.peer)
    let known = [("lt", "lt is LoopTransactions"), ("uv", "uv is libuv, used from C")]
    let twins = results.filter(\.isTwin).map(\.peer).uniqued().prefix(1).map { twin in
      "\(twin) is \(twin.dropLast(Contender.twinSuffix.count)) again, which shows the noise"
    }
    let names = known.filter { peers.contains($0.0) }.map(\.1) + twins
    let floors = sections.flatMap(\.scenario.floors).uniqued().filter(peers.contains)
    let floor =
      "a floor (\(floors.joined(separator: ", "))) does the work with as little as possible around it,"
      + " and is not judged"
    let others = sections.flatMap(\.scenario.peers).uniqued(by: \.name).filter { peer in
      !known.contains { $0.0 == peer.name } && !floors.contains(peer.name)
        && peers.contains(peer.name) && !peer.summary.isEmpty
    }
    return (names.isEmpty ? [] : [names.joined(separator: " · ")])
      + others.map { "\($0.name): \($0.summary)" } + (floors.isEmpty ? [] : [floor])
  }

  /// Explains the columns of the tables of figures.
  private func figureLegend(of sections: [ReportSection]) -> [String] {
    let figures = sections.filter { $0.tables.contains { $0.figures != nil } }
      .flatMap { $0.scenario.figures ?? [] }.filter { !$0.summary.isEmpty }
    return (figures.isEmpty ? [] : ["columns:"])
      + figures.uniqued(by: \.title).map { "  \($0.title): \($0.summary)" }
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
      [machine.cpu, String.counted(machine.cpus, "CPU"), machine.virtualization, machine.os],
      [
        String.counted(settings.rounds, "round") + ", shuffled by seed \(seed)",
        settings.placement.text,
      ],
      [
        "a sample includes one clock reading of \(TimeText.short(settings.overhead.clockNs));"
          + " recording it afterwards takes \(TimeText.short(settings.overhead.recordNs))"
      ] + paceParts,
      settings.load.map { ["load \($0)"] } ?? [],
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
  static func all(in report: Report, style: ReportStyle) -> [Self] {
    let wanted = report.settings.scenarios.filter {
      style.scenarios.isEmpty || style.scenarios.contains($0)
    }
    return (wanted + report.results.map(\.scenario)).uniqued().map { name in
      let scenario = report.description(of: name)
      let series = report.results.filter { $0.scenario == name }.map(\.series).uniqued()
      let tables = series.map {
        SeriesTable(report, scenario: scenario, series: $0, style: style)
      }
      return ReportSection(scenario: scenario, tables: tables)
    }
  }
}
