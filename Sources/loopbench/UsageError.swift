import LoopbenchKit

/// A command line that means nothing.
package enum UsageError: Error, Equatable, CustomStringConvertible {
  case unknownOption(String, suggestion: String?)
  case unknownCommand(String, suggestion: String?)
  case missingValue(option: String, placeholder: String)
  case unexpectedValue(option: String, value: String)
  case badValue(option: String, value: String, expected: String)
  case extraArgument(String, command: String)

  package var description: String {
    switch self {
    case .unknownOption(let name, let suggestion):
      "there is no option \"\(name)\"" + Suggestion.question(suggestion)
    case .unknownCommand(let name, let suggestion):
      "there is no command or scenario \"\(name)\"" + Suggestion.question(suggestion)
    case .missingValue(let option, let placeholder):
      "\(option) needs a value: \(option) \(placeholder)"
    case .unexpectedValue(let option, let value):
      "\(option) takes no value, got \"\(value)\""
    case .badValue(let option, let value, let expected):
      "\(option) needs \(expected), got \"\(value)\""
    case .extraArgument(let argument, let command):
      "\(command) takes no arguments, got \"\(argument)\""
    }
  }
}
