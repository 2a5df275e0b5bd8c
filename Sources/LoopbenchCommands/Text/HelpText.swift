package import LoopbenchKit

/// The texts of `--help` and `help`, made from the tables of commands and options.
package enum HelpText {
  /// The output of `loopbench --help`.
  package static func overview(_ context: Context) -> String {
    let (registry, program) = (context.registry, context.programName)
    let isStandard = !Question.answerable(by: registry).isEmpty
    let purpose = context.loops == nil ? "" : "finds out why the loop of a program is late, and "
    let list = " Without arguments it lists the programs that wait in a loop."
    let commands =
      context.watchCommand + Command.table(in: registry).map { ($0.name.rawValue, $0.summary) }
      + context.extraCommands.map { ($0.name, $0.summary) }
    return String(blocks: [
      Layout.wrapped(
        "\(program) \(purpose)measures the latency of event loops, side by side in the same run."
          + (context.loops == nil ? "" : list)
      ),
      ["Usage: \(program) [COMMAND] [SCENARIO...] [OPTION...]"],
      ["Commands:"] + Layout.rows(commands),
      ["Scenarios (default: all but those \"only if named\", in 20 to 40 s):"]
        + Layout.rows(registry.scenarios.map { ($0.name, $0.listing) }),
      // The standard registry has too many peers. `list peers` shows them.
      isStandard ? [] : peers(of: registry),
      ["Common options:"] + options(favourites, registry),
      Layout.wrapped(
        "`\(program) help COMMAND` shows all options of a command, `\(program) help SCENARIO`"
          + " explains what it times, and `\(program) man` lists the exit codes."
      ),
    ])
  }

  private static func peers(of registry: Registry) -> [String] {
    let peers = registry.peerNames.map { name in
      let own = registry.peers.filter { $0.name == name }
      let note = own.contains { $0.isStandard } ? "" : "; only if named"
      return (name, own[0].summary + note)
    }
    return peers.isEmpty ? [] : ["Peers:"] + Layout.rows(peers)
  }

  private static let favourites = [
    "--peers", "--duration", "--rounds", "--format", "--output", "--help", "--version",
  ].compactMap(Option.named)

  /// The output of `loopbench help COMMAND`.
  package static func command(
    _ name: Command.Name,
    in registry: Registry = .standard,
    of program: String = "loopbench"
  ) -> String {
    let command = Command.named(name)
    let groups = Option.Group.allCases.map { group in
      let options = Option.of(name).filter { $0.group == group }
      return options.isEmpty ? [] : ["\(group.rawValue):"] + self.options(options, registry)
    }
    return String(
      blocks: [["Usage: \(command.usage(of: program))"], Layout.wrapped(sentence(command.summary))]
        + command.details.map { Layout.wrapped($0) }
        + groups
        + [examples(of: command, registry, program)]
    )
  }

  private static func sentence(_ summary: String) -> String {
    summary.prefix(1).uppercased() + summary.dropFirst() + "."
  }

  private static func options(_ options: [Option], _ registry: Registry) -> [String] {
    Layout.rows(options.map { ($0.usage, $0.summary(in: registry)) })
  }

  private static func examples(
    of command: Command,
    _ registry: Registry,
    _ program: String
  ) -> [String] {
    guard !command.examples.isEmpty else { return [] }
    return ["Examples:"]
      + command.examples(in: registry, of: program).flatMap {
        ["  \($0.line)", "      \($0.meaning)"]
      }
  }

  /// The output of `loopbench help SCENARIO`.
  package static func scenario(_ scenario: Scenario, peers: [any Peer]) -> String {
    String(blocks: [
      Layout.wrapped("\(scenario.name): \(scenario.summary)"),
      Layout.reflowed(scenario.details),
      ["Series:"] + Layout.rows(scenario.series.map { ($0.name, $0.summary) }),
      figures(of: scenario),
      ["Peers:"] + Layout.rows(peers.map { ($0.name, $0.summary) }),
    ])
  }
}

extension HelpText {
  /// The columns of the scenario's table of figures.
  private static func figures(of scenario: Scenario) -> [String] {
    let rows = scenario.figures.filter { !$0.summary.isEmpty }.map { ($0.title, $0.summary) }
    return rows.isEmpty ? [] : ["Columns of the table of figures:"] + Layout.rows(rows)
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
