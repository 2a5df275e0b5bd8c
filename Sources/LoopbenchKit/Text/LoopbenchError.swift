/// An error that ends the program with an exit code.
///
/// The description states the failure, the given value and how to fix it.
package struct LoopbenchError: Error, Equatable, CustomStringConvertible {
  /// The exit code of the program.
  package let code: ExitCode
  /// The failure and how to fix it.
  package let description: String

  private init(_ code: ExitCode, _ text: String) { (self.code, description) = (code, text) }

  package static func failed(_ text: String) -> Self { Self(.failed, text) }
  package static func usage(_ text: String) -> Self { Self(.usage, text) }
  package static func notComparable(_ text: String) -> Self { Self(.notComparable, text) }
  package static func unavailable(_ text: String) -> Self { Self(.unavailable, text) }
  package static func unfit(_ text: String) -> Self { Self(.unfit, text) }

  /// A usage error about an unknown `name`. It suggests the most similar name in
  /// `known`.
  ///
  /// - Parameter listsAll: Whether to list all names if none is similar.
  package static func unknown(
    _ what: String,
    _ name: String,
    among known: [String],
    listsAll: Bool = false
  ) -> Self {
    let question = Suggestion.question(for: name, in: known)
    let choices = "; choose from " + known.joined(separator: ", ")
    let advice = question.isEmpty && listsAll ? choices : question
    return .usage("there is no \(what) \"\(name)\"" + advice)
  }
}

/// The exit code of the process. Scripts depend on the numbers.
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

  /// The meaning of the code, for the help and the manual page.
  package var summary: String {
    switch self {
    case .success: "success; no regression was found"
    case .failed: "a peer or a file failed; all other results are written"
    case .usage: "usage error"
    case .regressed: "slower than a rule allows, and confirmed in fresh processes"
    case .inconclusive: "too noisy to decide (only with --strict)"
    case .notComparable: "baseline missing, or not comparable with this run"
    case .unavailable: "a peer, scenario or format is not available here"
    case .unfit: "this machine is not fit for measuring (with --strict)"
    case .timedOut: "stopped by --timeout; the results so far are written"
    case .interrupted: "interrupted by Ctrl-C; the results so far are written"
    }
  }
}
