import LoopbenchKit

/// Arguments taken apart: options with their values, and the other words.
///
/// Accepts `--name value`, `--name=value`, `-n value`, `-nvalue`; `--` ends the
/// options. Nothing is applied yet: a configuration file comes before.
struct CommandLineWords {
  private(set) var given: [Given] = []
  private(set) var words: [String] = []
  private var rest: ArraySlice<String>

  /// An option as it was written.
  struct Given {
    /// The first row of its name, until the command is known.
    var option: Option
    let name: String
    let value: String?
  }

  /// - Parameter arguments: Without the program's name.
  init(_ arguments: [String]) throws(UsageError) {
    rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      } else if argument.hasPrefix("-"), argument != "-" {
        given.append(try option(argument))
      } else {
        words.append(argument)
      }
    }
  }

  private mutating func option(_ argument: String) throws(UsageError) -> Given {
    let (name, value) = Self.split(argument)
    guard let option = Option.named(name) else {
      let known = Option.table.map(\.long)
      throw .unknownOption(name, suggestion: Suggestion.nearest(to: name, in: known))
    }
    guard let placeholder = option.placeholder else {
      if let value { throw .unexpectedValue(option: name, value: value) }
      return Given(option: option, name: name, value: nil)
    }
    guard let value = value ?? rest.popFirst() else {
      throw .missingValue(option: name, placeholder: placeholder)
    }
    return Given(option: option, name: name, value: value)
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

extension CommandLineWords.Given {
  /// Puts the value where it belongs.
  func apply(to options: inout Options) throws(UsageError) {
    switch option.action {
    case .flag(let apply):
      apply(&options)
      options.note(option, nil)
    case .value(_, _, let apply):
      guard let value else { return }
      if let expected = apply(&options, value) {
        throw .badValue(option: name, value: value, expected: expected)
      }
      options.note(option, value)
    }
  }
}
