/// Text for terminals and files that take nothing beyond ASCII.
package enum ASCII {
  /// Writes the signs that reports use in ASCII; of others it leaves a `?`.
  package static func text(_ text: String) -> String {
    text.reduce(into: "") { $0 += $1.isASCII ? String($1) : signs[$1] ?? "?" }
  }

  private static let signs: [Character: String] = [
    "·": "|", "±": "+-", "–": "-", "—": "-", "µ": "u", "×": "x", "→": "->",
    // As wide as what they stand for: they are parts of drawings and of cut names.
    "…": "~", "─": "-", "│": "|", "├": "|", "┤": "|", "┐": ".", "┌": ",", "└": "`", "┘": "'",
    "┴": "+",
  ]
}
