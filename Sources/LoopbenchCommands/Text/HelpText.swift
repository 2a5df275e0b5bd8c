package import LoopbenchKit

/// The texts of `--help` and `help`, made from the tables of commands and options.
package enum HelpText {
  /// The output of `loopbench --help`.
  package static func overview(scenarios: [Scenario]) -> String {
    String(blocks: [
      ["loopbench measures the latency of event loops, side by side in the same run."],
      ["Usage: loopbench [COMMAND] [SCENARIO...] [OPTION...]"],
      ["Commands:"] + Layout.rows(Command.table.map { ($0.name.rawValue, $0.summary) }),
      ["Scenarios (default: all but those \"only if named\", in about 20 s):"]
        + Layout.rows(scenarios.map { ($0.name, $0.listing) }),
      ["Common options:"] + options(favourites),
      Layout.wrapped(
        "`loopbench help COMMAND` shows all options of a command, `loopbench help SCENARIO` explains"
          + " what it times, and `loopbench man` lists the exit codes."
      ),
    ])
  }

  private static let favourites = [
    "--peers", "--duration", "--rounds", "--format", "--output", "--help", "--version",
  ].compactMap(Option.named)

  /// The output of `loopbench help COMMAND`.
  package static func command(_ name: Command.Name) -> String {
    let command = Command.named(name)
    let groups = Option.Group.allCases.map { group in
      let options = Option.of(name).filter { $0.group == group }
      return options.isEmpty ? [] : ["\(group.rawValue):"] + self.options(options)
    }
    return String(
      blocks: [["Usage: \(command.usage)"], Layout.wrapped(sentence(command.summary))]
        + command.details.map { Layout.wrapped($0) }
        + groups
        + [examples(of: command)]
    )
  }

  private static func sentence(_ summary: String) -> String {
    summary.prefix(1).uppercased() + summary.dropFirst() + "."
  }

  private static func options(_ options: [Option]) -> [String] {
    Layout.rows(options.map { ($0.usage, $0.summary) })
  }

  private static func examples(of command: Command) -> [String] {
    guard !command.examples.isEmpty else { return [] }
    return ["Examples:"]
      + command.examples.flatMap { ["  \($0.key)", "      \($0.value)"] }
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
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(line.indented(by: indent))
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return line.isEmpty ? lines : lines + [line.indented(by: indent)]
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
