package import LoopbenchKit

/// What `--help` and `help` print, made from the tables.
package enum HelpText {
  /// `loopbench --help`: what there is.
  package static func overview(scenarios: [Scenario]) -> String {
    Layout.blocks([
      ["loopbench measures how late an event loop is, next to others, in the same run."],
      ["Usage: loopbench [COMMAND] [SCENARIO...] [OPTION...]"],
      ["Commands:"] + Layout.rows(Command.table.map { ($0.name.rawValue, $0.summary) }),
      ["Scenarios (default: all that do not say \"if asked for\", in about 20 s):"]
        + Layout.rows(scenarios.map { ($0.name, $0.listing) }),
      ["Options that are used most:"] + options(favourites),
      ["`loopbench help COMMAND` shows all options of a command, `loopbench help SCENARIO`"]
        + ["what is timed. Exit codes are in `loopbench man`."],
    ])
  }

  private static let favourites = [
    "--peers", "--duration", "--rounds", "--format", "--output", "--help", "--version",
  ].compactMap(Option.named)

  /// `loopbench help COMMAND`.
  package static func command(_ name: Command.Name) -> String {
    let command = Command.named(name)
    let groups = Option.Group.allCases.map { group in
      let options = Option.of(name).filter { $0.group == group }
      return options.isEmpty ? [] : ["\(group.rawValue):"] + self.options(options)
    }
    return Layout.blocks(
      [["Usage: \(command.usage)"], Layout.wrapped(sentence(command.summary))]
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
      + command.examples.flatMap { ["  \($0.line)", "      \($0.meaning)"] }
  }

  /// `loopbench help SCENARIO`: what is timed.
  package static func scenario(_ scenario: Scenario, peers: [any Peer]) -> String {
    Layout.blocks([
      Layout.wrapped("\(scenario.name): \(scenario.summary)"),
      Layout.reflowed(scenario.details),
      ["Series:"] + Layout.rows(scenario.series.map { ($0.name, $0.summary) }),
      ["Peers:"] + Layout.rows(peers.map { ($0.name, $0.summary) }),
    ])
  }
}
