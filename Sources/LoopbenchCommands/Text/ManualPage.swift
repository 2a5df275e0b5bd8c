package import LoopbenchKit

/// The manual page that `loopbench man` prints, made from the tables of commands
/// and options.
package enum ManualPage {
  /// The date of the last change to the text of this file.
  private static let date = "2026-11-28"

  package static func render(_ registry: Registry) -> String {
    let tool = Report.Tool.loopbench
    let blocks = [
      [".TH LOOPBENCH 1 \(date) \"\(tool.name) \(tool.version)\" \"User Commands\""],
      section("NAME", text("loopbench - measure the latency of event loops, side by side")),
      section("SYNOPSIS", synopsis(in: registry)),
      section("DESCRIPTION", description),
      section("COMMANDS", commands(in: registry)),
      section("SCENARIOS", items(registry.scenarios.map { ($0.name, $0.listing) })),
      section("OPTIONS", Option.Group.allCases.flatMap { options($0, registry) }),
      section("EXIT STATUS", items(ExitCode.allCases.map { (String($0.rawValue), $0.summary) })),
      section("ENVIRONMENT", items(environment)),
      section("FILES", items(files)),
      section("EXAMPLES", Command.table(in: registry).flatMap { examples($0, registry) }),
    ]
    return blocks.flatMap { $0 }.joined(separator: "\n") + "\n"
  }

  private static let paragraphs: [String] = [
    "loopbench measures several implementations of the same operation with an event loop, called"
      + " peers, side by side. Every round measures each peer once, in an order that a seed"
      + " determines, so that drift of the machine affects all of them.",
    "loopbench watch finds out why the event loop of a program is late; loopbench watch --help"
      + " describes it. loopbench without arguments lists the programs that wait in a loop.",
    "Results go to standard output, everything else to standard error. loopbench NAME runs a"
      + " program loopbench-NAME beside loopbench or on PATH.",
  ]

  private static var description: [String] {
    Array(paragraphs.flatMap { text($0) + [".PP"] }.dropLast())
  }

  private static let environment: [(String, String)] = [
    ("NO_COLOR", "if not empty, no colours, unless --color always is given"),
    ("CLICOLOR_FORCE", "if neither empty nor 0, colours also in a file"),
    ("CI", "if not empty, 0 or false, no progress, unless --progress always is given"),
    ("TERM", "if dumb, no colours, no progress and only ASCII"),
    ("COLUMNS", "the width of the output, also in a pipe"),
    ("LC_ALL, LC_CTYPE, LANG", "if the first that is set has no UTF-8, only ASCII"),
  ]

  private static let files: [(String, String)] = [
    (".loopbench", "the folder of baselines")
  ]
}

extension ManualPage {
  private static func section(_ title: String, _ lines: [String]) -> [String] {
    [".SH \(title)"] + lines
  }

  private static func synopsis(in registry: Registry) -> [String] {
    Command.table(in: registry).flatMap { [".B " + escaped($0.usage()), ".br"] }.dropLast()
  }

  private static func commands(in registry: Registry) -> [String] {
    Command.table(in: registry).flatMap { command in
      item(command.name.rawValue, command.summary)
        + command.details.flatMap { [".IP"] + text($0) }
    }
  }

  private static func options(_ group: Option.Group, _ registry: Registry) -> [String] {
    let options = Option.table.filter { $0.group == group }
    return [".SS " + escaped(group.rawValue)]
      + options.flatMap { option in
        let takers = Command.table(in: registry).map(\.name).filter(option.commands.contains)
          .map(\.rawValue)
        let isGeneral = option.commands.count == Command.Name.allCases.count
        let suffix = isGeneral ? "" : " (\(takers.joined(separator: ", ")))"
        let usage = String(option.usage.drop { $0 == " " })
        return item(usage, option.summary(in: registry) + suffix)
      }
  }

  private static func examples(_ command: Command, _ registry: Registry) -> [String] {
    command.examples(in: registry).flatMap { item($0.line, $0.meaning) }
  }

  private static func items(_ rows: [(String, String)]) -> [String] {
    rows.flatMap { item($0.0, $0.1) }
  }

  private static func item(_ name: String, _ meaning: String) -> [String] {
    [".TP", ".B " + escaped(name)] + text(meaning)
  }

  /// Wraps `text` to short lines, because mandoc warns about long lines.
  private static func text(_ text: String) -> [String] {
    Layout.wrapped(escaped(text)).map { $0.hasPrefix(".") ? "\\&" + $0 : $0 }
  }

  /// Escapes the characters that roff interprets.
  private static func escaped(_ text: String) -> String {
    text.escaped(with: [
      "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "\"": "\\(dq", "~": "\\(ti",
      "^": "\\(ha",
    ])
  }
}
