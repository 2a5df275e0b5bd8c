/// One row of the option table: what parses it and what documents it.
package struct Option: Sendable {
  /// With its dash: `-p`.
  package let short: String?
  /// With its dashes: `--peers`.
  package let long: String
  package let summary: String
  package let action: Action

  package enum Action: Sendable {
    /// Given or not.
    case flag(@Sendable (inout Options) -> Void)
    /// Followed by a value. `apply` says what the value must be if it is not.
    case value(placeholder: String, apply: @Sendable (inout Options, String) -> Expected?)
  }

  /// "a whole number from 1 to 1000": completes "needs …".
  package typealias Expected = String

  /// How help shows it: `-p, --peers LIST`.
  package var usage: String {
    let names = short.map { "\($0), \(long)" } ?? "    \(long)"
    guard case .value(let placeholder, _) = action else { return names }
    return "\(names) \(placeholder)"
  }
}
