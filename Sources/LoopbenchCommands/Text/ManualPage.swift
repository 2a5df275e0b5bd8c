package import LoopbenchKit

/// `loopbench man`: the manual page, made from the tables.
package enum ManualPage {
  /// When the page last changed in more than its tables.
  private static let date = "2026-11-22"

  package static func render(_ registry: Registry) -> String {
    let tool = Report.Tool.loopbench
    let blocks = [
      [".TH LOOPBENCH 1 \(date) \"\(tool.name) \(tool.version)\" \"User Commands\""],
      section("NAME", text("loopbench - measure how late an event loop is, next to others")),
      section("SYNOPSIS", synopsis),
      section("DESCRIPTION", description),
      section("COMMANDS", commands),
      section("SCENARIOS", items(registry.scenarios.map { ($0.name, $0.listing) })),
      section("OPTIONS", Option.Group.allCases.flatMap(options)),
      section("EXIT STATUS", items(ExitCode.allCases.map { (String($0.rawValue), $0.summary) })),
      section("ENVIRONMENT", items(environment)),
      section("FILES", items(files)),
      section("EXAMPLES", Command.table.flatMap(examples)),
    ]
    return blocks.flatMap { $0 }.joined(separator: "\n") + "\n"
  }

  private static let paragraphs: [String] = [
    "loopbench measures peers, ways of doing the same thing with a loop, side by side: every round"
      + " measures each of them once, in an order that a seed decides, so that what drifts on the"
      + " machine drifts for all of them.",
    "Results go to standard output, everything else to standard error. A program loopbench-NAME"
      + " beside loopbench or on PATH is called by loopbench NAME.",
  ]

  private static var description: [String] {
    Array(paragraphs.flatMap { text($0) + [".PP"] }.dropLast())
  }

  private static let environment: [(String, String)] = [
    ("NO_COLOR", "not empty: no colours, unless --color always"),
    ("CLICOLOR_FORCE", "not empty and not 0: colours, also into a file"),
    ("CI", "not empty: no progress, unless --progress always"),
    ("TERM", "dumb: no colours, no progress, nothing beyond ASCII"),
  ]

  private static let files: [(String, String)] = [
    (
      "loopbench.json",
      "options, named as here without the dashes; the command line wins. Only a file that --config"
        + " names may contain --output, --export, --plot or a load of cmd:, because the file may come"
        + " with a folder that somebody else made. For the same reason loopbench.json, and a baseline"
        + " that it names, must be a regular file"
    ),
    (".loopbench", "the folder of baselines"),
    (
      "FILE.loopbench-PID-N.part",
      "a result that is being written. One that a killed run left is removed by the next run that"
        + " writes into the folder"
    ),
  ]
}

extension ManualPage {
  private static func section(_ title: String, _ lines: [String]) -> [String] {
    [".SH \(title)"] + lines
  }

  private static var synopsis: [String] {
    Command.table.flatMap { [".B " + escaped($0.usage), ".br"] }.dropLast()
  }

  private static var commands: [String] {
    Command.table.flatMap { command in
      item(command.name.rawValue, command.summary)
        + command.details.flatMap { [".IP"] + text($0) }
    }
  }

  private static func options(_ group: Option.Group) -> [String] {
    let options = Option.table.filter { $0.group == group }
    return [".SS " + escaped(group.rawValue)]
      + options.flatMap { option in
        let takers = Command.Name.allCases.filter(option.commands.contains).map(\.rawValue)
        let isOfAll = takers.count == Command.Name.allCases.count
        let suffix = isOfAll ? "" : " (\(takers.joined(separator: ", ")))"
        let usage = String(option.usage.drop { $0 == " " })
        return item(usage, option.summary + suffix)
      }
  }

  private static func examples(_ command: Command) -> [String] {
    command.examples.flatMap { item($0.key, $0.value) }
  }

  private static func items(_ rows: [(String, String)]) -> [String] {
    rows.flatMap { item($0.0, $0.1) }
  }

  private static func item(_ name: String, _ meaning: String) -> [String] {
    [".TP", ".B " + escaped(name)] + text(meaning)
  }

  /// Lines that are no longer than mandoc likes them.
  private static func text(_ text: String) -> [String] {
    Layout.wrapped(escaped(text)).map { $0.hasPrefix(".") ? "\\&" + $0 : $0 }
  }

  /// Text that roff takes as it is.
  private static func escaped(_ text: String) -> String {
    text.map { character -> String in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "\"": "\\(dq"
      case "~": "\\(ti"
      case "^": "\\(ha"
      default: String(character)
      }
    }.joined()
  }
}
