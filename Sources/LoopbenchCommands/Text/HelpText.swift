package import LoopbenchKit

/// The texts of `--help` and `help`, made from the tables of commands and options.
package enum HelpText {
  /// The output of `loopbench --help`.
  package static func overview(_ registry: Registry) -> String {
    let hasScreen = !Question.answerable(by: registry).isEmpty
    let all = hasScreen ? "--full" : "default"
    let answer = " Without a scenario it answers on one screen how late a loop is, within 20 s."
    return String(blocks: [
      Layout.wrapped(
        "loopbench measures the latency of event loops, side by side in the same run."
          + (hasScreen ? answer : "")
      ),
      ["Usage: loopbench [COMMAND] [SCENARIO...] [OPTION...]"],
      ["Commands:"] + Layout.rows(Command.table.map { ($0.name.rawValue, $0.summary) }),
      ["Scenarios (\(all): all but those \"only if named\", in about 20 s):"]
        + Layout.rows(registry.scenarios.map { ($0.name, $0.listing) }),
      ["Common options:"]
        + options(favourites.filter { hasScreen || $0.long != "--full" }, registry),
      Layout.wrapped(
        "`loopbench help COMMAND` shows all options of a command, `loopbench help SCENARIO` explains"
          + " what it times, and `loopbench man` lists the exit codes."
      ),
    ])
  }

  private static let favourites = [
    "--full", "--peers", "--duration", "--rounds", "--format", "--output", "--help", "--version",
  ].compactMap(Option.named)

  /// The output of `loopbench help COMMAND`.
  package static func command(
    _ name: Command.Name,
    in registry: Registry = .standard
  ) -> String {
    let command = Command.named(name)
    let groups = Option.Group.allCases.map { group in
      let options = Option.of(name).filter { $0.group == group }
      return options.isEmpty ? [] : ["\(group.rawValue):"] + self.options(options, registry)
    }
    return String(
      blocks: [["Usage: \(command.usage)"], Layout.wrapped(sentence(command.summary))]
        + command.details(in: registry).map { Layout.wrapped($0) }
        + groups
        + [examples(of: command, registry)]
    )
  }

  private static func sentence(_ summary: String) -> String {
    summary.prefix(1).uppercased() + summary.dropFirst() + "."
  }

  private static func options(_ options: [Option], _ registry: Registry) -> [String] {
    Layout.rows(options.map { ($0.usage, $0.summary(in: registry)) })
  }

  private static func examples(of command: Command, _ registry: Registry) -> [String] {
    guard !command.examples.isEmpty else { return [] }
    return ["Examples:"]
      + command.examples(in: registry).flatMap { ["  \($0.line)", "      \($0.meaning)"] }
  }

  /// The output of `loopbench help SCENARIO`.
  package static func scenario(_ scenario: Scenario, peers: [any Peer]) -> String {
    String(blocks: [
      Layout.wrapped("\(scenario.name): \(scenario.summary)"),
      Layout.reflowed(scenario.details),
      ["Series:"] + Layout.rows(scenario.series.map { ($0.name, $0.summary) }),
      ["Peers:"] + Layout.rows(peers.map { ($0.name, $0.summary) }),
    ])
  }
}

/// Wraps plain text to lines of at most 80 columns.
package enum Layout {
  private static let width = 80

  /// Wraps `text` to lines that begin with `indent` spaces.
  package static func wrapped(_ text: String, indent: Int = 0) -> [String] {
    text.isEmpty ? [] : text.indented(by: indent).wrapped(to: width, indent: indent)
  }

  /// Wraps the paragraphs of `text`, and keeps indented lines unchanged.
  package static func reflowed(_ text: String) -> [String] {
    var lines: [String] = []
    var paragraph: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.isEmpty || line.hasPrefix("  ") else {
        paragraph.append(line)
        continue
      }
      lines += wrapped(paragraph.joined(separator: " ")) + [String(line)]
      paragraph = []
    }
    return lines + wrapped(paragraph.joined(separator: " "))
  }

  /// Lays out names with their summaries. A summary is beside its name, or below it
  /// if the name is long.
  package static func rows(_ rows: [(name: String, summary: String)]) -> [String] {
    let widest = rows.map(\.name.count).filter { $0 <= 26 }.max() ?? 0
    return rows.flatMap { row in
      let summary = wrapped(row.summary, indent: widest + 4)
      let name = "  " + row.name
      guard row.name.count <= widest, let first = summary.first else { return [name] + summary }
      return [name + first.dropFirst(name.count)] + summary.dropFirst()
    }
  }
}

extension HelpText {
  /// The output of `loopbench --version`.
  static func version(isJSON: Bool) -> String {
    let tool = Report.Tool.loopbench
    guard isJSON else { return "\(tool.name) \(tool.version) (libuv \(Machine.libuvVersion))\n" }
    let machine = Machine.detect()
    return """
      {"name": "\(tool.name)", "version": "\(tool.version)", "schema": "\(Report.currentSchema)", \
      "libuv": "\(machine.libuv)", "swift": "\(machine.swift)", "build": "\(machine.build)"}

      """
  }
}
