/// Why loopbench can not do what it was asked to.
///
/// Its text says what is wrong, with the value that was given, and what to do.
package struct LoopbenchError: Error, Equatable, CustomStringConvertible {
  /// What an error is about: each kind has an exit code.
  package enum Kind: Sendable {
    /// Something was asked for that means nothing.
    case usage
    /// Something has a name and is not available here.
    case unavailable
    /// Two results, or a result and a rule, that can not be compared.
    case notComparable
    /// The machine is not fit for measuring.
    case unfit
    /// Something broke: a file, a process.
    case failed
  }

  /// What it is about.
  package let kind: Kind
  /// What is wrong, and what to do.
  package let description: String

  package static func usage(_ text: String) -> Self { Self(kind: .usage, description: text) }

  package static func unavailable(_ text: String) -> Self {
    Self(kind: .unavailable, description: text)
  }

  package static func notComparable(_ text: String) -> Self {
    Self(kind: .notComparable, description: text)
  }

  package static func unfit(_ text: String) -> Self { Self(kind: .unfit, description: text) }

  package static func failed(_ text: String) -> Self { Self(kind: .failed, description: text) }

  /// Nothing is called `name`; perhaps one that is `known` was meant.
  package static func unknown(_ what: String, _ name: String, among known: [String]) -> Self {
    .usage("there is no \(what) \"\(name)\"" + Suggestion.question(for: name, in: known))
  }
}
