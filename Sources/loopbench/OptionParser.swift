import LoopbenchKit

/// Turns arguments into options, by the option table.
///
/// Accepts `--name value`, `--name=value`, `-n value`, `-nvalue`; `--` ends the
/// options. The last of several wins.
package struct OptionParser {
  private let scenarios: [String]
  private var rest: ArraySlice<String>
  private var options = Options()
  private var words: [String] = []

  /// - Parameters:
  ///   - arguments: Without the program's name.
  ///   - scenarios: The names that may stand where a command may.
  package static func parse(
    _ arguments: [String],
    scenarios: [String]
  ) throws(UsageError) -> Options {
    var parser = OptionParser(scenarios: scenarios, rest: arguments[...])
    return try parser.parse()
  }

  private mutating func parse() throws(UsageError) -> Options {
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      } else if argument.hasPrefix("-"), argument != "-" {
        try parseOption(argument)
      } else {
        words.append(argument)
      }
    }
    try parseWords()
    return options
  }
}

extension OptionParser {
  private mutating func parseOption(_ argument: String) throws(UsageError) {
    let (name, value) = Self.split(argument)
    guard let option = Option.table.first(where: { $0.long == name || $0.short == name }) else {
      let known = Option.table.map(\.long)
      throw .unknownOption(name, suggestion: Suggestion.nearest(to: name, in: known))
    }
    switch option.action {
    case .flag(let apply):
      if let value { throw .unexpectedValue(option: name, value: value) }
      apply(&options)
    case .value(let placeholder, let apply):
      guard let value = value ?? rest.popFirst() else {
        throw .missingValue(option: name, placeholder: placeholder)
      }
      if let expected = apply(&options, value) {
        throw .badValue(option: name, value: value, expected: expected)
      }
    }
  }

  /// `--name=value` and `-nvalue`, taken apart.
  private static func split(_ argument: String) -> (name: String, value: String?) {
    if argument.hasPrefix("--") {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }
    let value = argument.dropFirst(2)
    return (String(argument.prefix(2)), value.isEmpty ? nil : String(value))
  }
}

extension OptionParser {
  /// A command may come first; the rest, for `run`, are scenarios.
  private mutating func parseWords() throws(UsageError) {
    // `--help` and `--version` win over whatever was to be done.
    guard options.command == .run, let first = words.first else { return }
    if let command = Options.Command(rawValue: first) {
      options.command = command
      words.removeFirst()
    } else if !scenarios.contains(first) {
      let known = Options.Command.allCases.map(\.rawValue) + scenarios
      throw .unknownCommand(first, suggestion: Suggestion.nearest(to: first, in: known))
    }
    if options.command != .run, let extra = words.first {
      throw .extraArgument(extra, command: options.command.rawValue)
    }
    options.scenarios = words
  }
}
