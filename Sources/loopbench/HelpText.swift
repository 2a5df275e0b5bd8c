package import LoopbenchKit

/// `loopbench --help`, made from the tables.
package enum HelpText {
  package static func render(scenarios: [Scenario]) -> String {
    let sections = [
      ["loopbench measures how late an event loop is, next to raw libuv."],
      ["Usage: loopbench [COMMAND] [SCENARIO...] [OPTION...]"],
      ["Commands:"] + rows(Options.Command.allCases.map { ($0.rawValue, $0.summary) }),
      ["Scenarios (default: all, in about 20 s):"]
        + rows(scenarios.map { ($0.name, $0.summary) }),
      ["Options:"] + rows(Option.table.map { ($0.usage, $0.summary) }),
      ["Exit codes: 0 done, 1 failed, 2 wrong usage, 6 a scenario has no such peer."],
    ]
    return sections.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private static func rows(_ rows: [(name: String, summary: String)]) -> [String] {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { row in
      let spaces = String(repeating: " ", count: width - row.name.count + 2)
      return "  " + row.name + spaces + row.summary
    }
  }
}
