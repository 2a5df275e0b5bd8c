import LoopbenchKit

/// A command line that means nothing.
package enum UsageError: Error, Equatable, CustomStringConvertible {
  case unknownOption(String, suggestion: String?)
  case unknownCommand(String, suggestion: String?)
  case wrongCommand(option: String, command: String, takers: [String])
  case missingValue(option: String, placeholder: String)
  case unexpectedValue(option: String, value: String)
  case badValue(option: String, value: String, expected: String)
  case extraArgument(String, command: String)
  case missingArgument(command: String, usage: String)
  case unknownWord(String, command: String, known: [String])
  case missingOption(String, command: String, reason: String)
  case repeatedFile(String)

  package var description: String {
    switch self {
    case .unknownOption(let name, let suggestion):
      "there is no option \"\(name)\"" + Suggestion.question(suggestion)
    case .unknownCommand(let name, let suggestion):
      "there is no command or scenario \"\(name)\"" + Suggestion.question(suggestion)
    case .wrongCommand(let option, let command, let takers):
      "\(command) has no option \(option); it is one of \(takers.joined(separator: ", "))"
    case .missingValue(let option, let placeholder):
      "\(option) needs a value: \(option) \(placeholder)"
    case .unexpectedValue(let option, let value):
      "\(option) takes no value, got \"\(value)\""
    case .badValue(let option, let value, let expected):
      "\(option) needs \(expected), got \"\(value)\""
    case .extraArgument(let argument, let command):
      "\(command) takes no more arguments, got \"\(argument)\""
    case .missingArgument(let command, let usage):
      "\(command) needs an argument: \(usage)"
    case .unknownWord(let word, let command, let known):
      "\(command) needs \(Values.list(known)), got \"\(word)\""
        + Suggestion.question(Suggestion.nearest(to: word, in: known))
    case .missingOption(let option, let command, let reason):
      "\(command) needs \(option): \(reason)"
    case .repeatedFile(let path):
      "two results can not be written to one file, got \"\(path)\" twice"
    }
  }
}
