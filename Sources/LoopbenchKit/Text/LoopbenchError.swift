/// Why loopbench cannot do what it was asked to.
///
/// Its text says what is wrong, with the value that was given, and what to do.
package struct LoopbenchError: Error, Equatable, CustomStringConvertible {
  /// What the program ends with.
  package let code: ExitCode
  /// What is wrong, and what to do.
  package let description: String

  package static func usage(_ text: String) -> Self { Self(code: .usage, description: text) }

  package static func unavailable(_ text: String) -> Self {
    Self(code: .unavailable, description: text)
  }

  package static func notComparable(_ text: String) -> Self {
    Self(code: .notComparable, description: text)
  }

  package static func unfit(_ text: String) -> Self { Self(code: .unfit, description: text) }

  package static func failed(_ text: String) -> Self { Self(code: .failed, description: text) }

  /// Nothing is called `name`; perhaps one that is `known` was meant.
  package static func unknown(_ what: String, _ name: String, among known: [String]) -> Self {
    .usage("there is no \(what) \"\(name)\"" + Suggestion.question(for: name, in: known))
  }
}

/// What the process tells its caller. Scripts depend on the numbers.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case failed = 1
  case usage = 2
  case regressed = 3
  case inconclusive = 4
  case notComparable = 5
  case unavailable = 6
  case unfit = 7
  case timedOut = 124
  case interrupted = 130

  /// As help and the manual page show it.
  package var summary: String {
    switch self {
    case .success: "done; nothing was shown to be slower"
    case .failed: "something broke: a peer, a file; what could be measured is written"
    case .usage: "the command line means nothing"
    case .regressed: "something is slower than allowed, and was seen to be again"
    case .inconclusive: "too noisy to tell (only with --strict)"
    case .notComparable: "the baseline is missing, or is of something else"
    case .unavailable: "a peer, scenario or format that is not available here"
    case .unfit: "this machine is not fit for measuring (with --strict), or refuses --policy"
    case .timedOut: "--timeout ended it; what was measured is written"
    case .interrupted: "Ctrl-C ended it; what was measured is written"
    }
  }
}
