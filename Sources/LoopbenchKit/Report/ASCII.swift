/// Text for terminals and files that take nothing beyond ASCII.
enum ASCII {
  /// Writes the signs that reports use in ASCII; of others it leaves a `?`.
  static func text(_ text: String) -> String {
    text.reduce(into: "") { $0 += $1.isASCII ? String($1) : signs[$1] ?? "?" }
  }

  private static let signs: [Character: String] = [
    "·": "|", "±": "+-", "–": "-", "—": "-", "…": "...", "µ": "u", "×": "x", "→": "->",
  ]
}
