import LoopbenchKit

/// A row of the command table, which defines how a command is parsed and documented.
package struct Command: Sendable {
  package let name: Name
  /// The operands, as shown in the usage line: "FILE...".
  package let operands: String
  package let takes: Operands
  // Not a payload of `Operands`: the leak check does not find an array whose address
  // shares a word with the case.
  package private(set) var knownWords: [String] = []
  package private(set) var summary = ""
  /// The paragraphs that follow the summary in the help.
  package private(set) var details: [String] = []
  package private(set) var examples: [(line: String, meaning: String)] = []

  package enum Name: String, CaseIterable, CustomStringConvertible, Sendable {
    case run
    case compareLibuv = "compare-libuv"
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

    package var description: String { rawValue }
  }

  /// The operands that a command accepts.
  package enum Operands: Equatable, Sendable {
    case nothing
    case scenarios
    case files(ClosedRange<Int>)
    /// Some of `knownWords`.
    case words(ClosedRange<Int>)
    /// The name of a command or a scenario.
    case topic
    /// A verb of `loopbench baseline`, followed by the operands of the verb.
    case baseline
  }

  init(_ name: Name, _ operands: String = "", takes: Operands = .nothing) {
    (self.name, self.operands, self.takes) = (name, operands, takes)
  }

  func meaning(_ summary: String) -> Command { changed { $0.summary = summary } }

  func words(_ known: [String]) -> Command { changed { $0.knownWords = known } }

  func details(_ paragraphs: [String]) -> Command { changed { $0.details = paragraphs } }

  func example(_ line: String, _ meaning: String) -> Command {
    changed { $0.examples.append((line, meaning)) }
  }

  private func changed(_ change: (inout Command) -> Void) -> Command {
    var command = self
    change(&command)
    return command
  }

  /// The usage line: "loopbench compare BASE NEW... [OPTION...]".
  package func usage(of program: String = "loopbench") -> String {
    let words = [program, name == .run ? "[run]" : name.rawValue, operands, "[OPTION...]"]
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension Command {
  /// The rows of the table that a program with `registry` has. A program without the
  /// scenarios of the questions does not compare libuv.
  static func table(in registry: Registry) -> [Command] {
    let isComparing = !Question.answerable(by: registry).isEmpty
    return table.filter { isComparing || $0.name != .compareLibuv }
  }

  /// The examples, with a scenario and peers of `registry`.
  func examples(
    in registry: Registry,
    of program: String = "loopbench"
  ) -> [(line: String, meaning: String)] {
    let (scenario, peers) = ("wake", "lt,uv")
    let isOther = !registry.scenarios.contains { $0.name == scenario }
    let named = examples.map { (line: $0.line.naming(program), meaning: $0.meaning) }
    guard isOther, let first = registry.scenarios.first else { return named }
    let own = registry.peers(of: first).filter(\.isStandard).prefix(2).map(\.name)
    return named.map {
      let line = $0.line.replacing(peers, with: own.joined(separator: ","))
      return (line.replacing(scenario, with: first.name), $0.meaning)
    }
  }

  /// Returns the row of the command `name`.
  package static func named(_ name: Name) -> Command {
    guard let command = table.first(where: { $0.name == name }) else {
      preconditionFailure("Command.table has no row for \(name)")
    }
    return command
  }
}
