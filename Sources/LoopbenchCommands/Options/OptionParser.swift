package import LoopbenchKit

/// Parses arguments according to the tables of commands and options.
package struct OptionParser {
  private let scenarios: [String]
  private let extras: [String]
  private let folders: [String]
  private var line: ArgumentScanner
  private var options = Options()

  /// - Parameters:
  ///   - arguments: The arguments without the program's name.
  ///   - scenarios: The names of scenarios. A scenario may be given in place of a
  ///     command.
  ///   - extras: The names of the program's own commands, which are suggested only.
  ///   - folders: The folders of external programs. They are searched only to
  ///     suggest a name.
  package static func parse(
    _ arguments: [String],
    scenarios: [String],
    extras: [String] = [],
    folders: [String] = []
  ) throws(LoopbenchError) -> Options {
    let line = try ArgumentScanner(arguments)
    var parser = OptionParser(
      scenarios: scenarios,
      extras: extras,
      folders: folders,
      line: line
    )
    return try parser.parse()
  }

  private mutating func parse() throws(LoopbenchError) -> Options {
    // `--help` and `--version` take precedence over commands and errors.
    if has("--version") {
      options.command = .version
      options.isJSON = has("--json")
      return options
    }
    if has("--help") { return help() }
    try parseCommand()
    try resolveOptions()
    try applyAll()
    try parseOperands()
    return options
  }

  private func has(_ option: String) -> Bool {
    line.parsed.contains { $0.option.long == option }
  }

  /// Shows the help of the first command or scenario, or the overview.
  private mutating func help() -> Options {
    options.command = .help
    options.isASCII = has("--ascii")
    options.operands = line.words.prefix(1).map(scenarioName).filter {
      Command.Name(rawValue: $0) != nil || scenarios.contains($0)
    }
    return options
  }
}

extension OptionParser {
  /// Removes a command from the front of the words. The other words are operands.
  private mutating func parseCommand() throws(LoopbenchError) {
    guard let first = line.words.first else { return }
    if let command = Command.Name(rawValue: first) {
      options.command = command
      line.words.removeFirst()
    } else if !scenarios.contains(scenarioName(first)) {
      let known =
        Command.Name.allCases.map(\.rawValue) + extras + scenarios
        + ExternalCommand.all(in: folders)
      throw .unknown("command or scenario", first, among: known)
    }
  }

  /// The scenario of `wake` or `wake/across`.
  private func scenarioName(_ word: String) -> String { String(word.prefix { $0 != "/" }) }

  /// Replaces the row of each option with the command's own row for this option.
  private mutating func resolveOptions() throws(LoopbenchError) {
    let command = options.command
    for index in line.parsed.indices {
      let option = line.parsed[index].option
      guard let row = option.row(of: command) else {
        let takers = Command.Name.allCases.filter { option.row(of: $0) != nil }
        let names = takers.map(\.rawValue).joined(separator: ", ")
        throw .usage("\(command) has no option \(option.long); it is an option of \(names)")
      }
      line.parsed[index].option = row
    }
  }

  private mutating func applyAll() throws(LoopbenchError) {
    for one in line.parsed {
      guard let expected = one.option.apply(one.value ?? "", to: &options) else { continue }
      throw .badValue(of: one.name, one.value ?? "", expected: expected)
    }
  }
}

extension OptionParser {
  private mutating func parseOperands() throws(LoopbenchError) {
    let command = Command.named(options.command)
    switch command.takes {
    case .nothing: try check(command, 0...0)
    case .scenarios:
      if options.command == .trace { try checkTrace(command) }
    case .files(let range): try check(command, range)
    case .topic: try check(command, 0...1)
    case .baseline: try checkBaseline(command)
    case .words(let range):
      try check(command, range)
      for word in line.words where !command.knownWords.contains(word) {
        throw .unknownWord(word, of: command, command.knownWords)
      }
    }
    options.operands = line.words
  }

  private func check(_ command: Command, _ range: ClosedRange<Int>) throws(LoopbenchError) {
    if line.words.count > range.upperBound {
      throw .extraArgument(line.words[range.upperBound], of: command.name.rawValue)
    } else if line.words.count < range.lowerBound {
      throw .usage("\(command.name) needs an argument: \(command.usage())")
    }
  }

  /// A file has a dot or a slash in its name, and a scenario with this name precedes
  /// it. Only options that do not measure apply to a file.
  private mutating func checkTrace(_ command: Command) throws(LoopbenchError) {
    let file = line.words.first { word in
      word == "-" || !scenarios.contains(scenarioName(word)) && word.contains { "./".contains($0) }
    }
    guard let file else { return }
    try check(command, 1...1)
    if let option = line.parsed.first(where: { [.choosing, .measuring].contains($0.option.group) })
    {
      throw .usage("\(option.name) is for recording a trace; it does not apply to \"\(file)\"")
    }
    options.tracePath = file
  }

  static let baselineVerbs = ["save", "list", "show", "rm"]

  private func checkBaseline(_ command: Command) throws(LoopbenchError) {
    let counts = ["save": 3, "list": 1, "show": 2, "rm": 2]
    guard let verb = line.words.first else { return try check(command, 1...3) }
    guard let count = counts[verb] else {
      throw .unknownWord(verb, of: command, Self.baselineVerbs)
    }
    try check(command, count...count)
  }
}

/// Splits arguments into two lists: options with their values, and other words.
///
/// Accepts `--name value`, `--name=value`, `-n value` and `-nvalue`. `--` ends the
/// options. The options are applied later, when the command is known.
struct ArgumentScanner {
  fileprivate(set) var parsed: [ParsedOption] = []
  fileprivate(set) var words: [String] = []
  private var rest: ArraySlice<String>

  /// An option of the command line.
  struct ParsedOption {
    /// The first row of this name. Replaced once the command is known.
    var option: Option
    let name: String
    let value: String?
  }

  /// - Parameter arguments: The arguments without the program's name.
  init(_ arguments: [String]) throws(LoopbenchError) {
    rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      } else if argument.hasPrefix("-"), argument != "-" {
        parsed.append(try option(argument))
      } else {
        words.append(argument)
      }
    }
  }

  private mutating func option(_ argument: String) throws(LoopbenchError) -> ParsedOption {
    let (name, value) = Self.split(argument)
    guard let option = Option.named(name) else {
      throw .unknown("option", name, among: Option.table.map(\.long))
    }
    guard let placeholder = option.placeholder else {
      if let value { throw .usage("\(name) takes no value, got \"\(value)\"") }
      return ParsedOption(option: option, name: name, value: nil)
    }
    guard let value = value ?? rest.popFirst() else {
      throw .usage("\(name) needs a value: \(name) \(placeholder)")
    }
    return ParsedOption(option: option, name: name, value: value)
  }

  /// Splits `--name=value` and `-nvalue`.
  private static func split(_ argument: String) -> (name: String, value: String?) {
    if argument.hasPrefix("--") {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }
    let value = argument.dropFirst(2)
    return (String(argument.prefix(2)), value.isEmpty ? nil : String(value))
  }
}

extension LoopbenchError {
  static func badValue(of option: String, _ value: String, expected: String) -> Self {
    .usage("\(option) needs \(expected), got \"\(value)\"")
  }

  static func extraArgument(_ argument: String, of command: String) -> Self {
    .usage("\(command) takes no more arguments, got \"\(argument)\"")
  }

  fileprivate static func unknownWord(
    _ word: String,
    of command: Command,
    _ known: [String]
  ) -> Self {
    .usage(
      "\(command.name) needs \(known.listed("or")), got \"\(word)\""
        + Suggestion.question(for: word, in: known)
    )
  }
}
