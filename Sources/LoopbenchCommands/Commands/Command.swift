/// One row of the command table: what parses it and what documents it.
package struct Command: Sendable {
  package let name: Name
  /// How its operands are written: "FILE...".
  package let operands: String
  package let takes: Operands
  package let summary: String
  /// What help says beyond the summary, a paragraph each.
  package let details: [String]
  package let examples: KeyValuePairs<String, String>

  package enum Name: String, CaseIterable, Sendable {
    case run
    case list
    case report
    case compare
    case check
    case baseline
    case plot
    case replay
    case trace
    case doctor
    case completion
    case man
    case schema
    case help
    case version
  }

  /// What may stand beside it.
  package enum Operands: Equatable, Sendable {
    case nothing
    case scenarios
    /// So many files, or some of these words.
    case counted(ClosedRange<Int>, words: [String]?)
    /// A command or a scenario.
    case topic
    /// What `loopbench baseline` takes.
    case baseline

    static func files(_ count: ClosedRange<Int>) -> Operands { .counted(count, words: nil) }

    static func words(_ count: ClosedRange<Int>, of words: [String]) -> Operands {
      .counted(count, words: words)
    }
  }

  init(
    _ name: Name,
    _ operands: String,
    takes: Operands = .nothing,
    _ summary: String,
    details: [String] = [],
    examples: KeyValuePairs<String, String> = [:]
  ) {
    self.name = name
    self.operands = operands
    self.takes = takes
    self.summary = summary
    self.details = details
    self.examples = examples
  }

  /// How it is called: "loopbench compare BASE NEW... [OPTION...]".
  package var usage: String {
    let words = ["loopbench", name == .run ? "[run]" : name.rawValue, operands, "[OPTION...]"]
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension Command {
  /// The row of `name`.
  package static func named(_ name: Name) -> Command {
    guard let command = table.first(where: { $0.name == name }) else {
      preconditionFailure("Command: the table has every name, got \(name)")
    }
    return command
  }
}
