private import FoundationEssentials

extension String {
  /// The same with a `?` for each control character but a new line: a name out of
  /// a file must not command the terminal.
  package var printable: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { Self.isControl($0) ? "?" : $0 }))
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && scalar != "\n"
  }
}

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

/// Colours for a terminal. They repeat what a word says, and carry nothing of
/// their own.
struct ANSIStyle {
  let isOn: Bool

  /// `padded`, green or red if `cell` is a verdict for better or worse.
  func verdict(_ cell: String, _ padded: String) -> String {
    switch cell {
    case "faster", "improved": green(padded)
    case "slower", "regressed": red(padded)
    default: padded
    }
  }

  private func green(_ text: String) -> String { isOn ? "\u{1B}[32m\(text)\u{1B}[0m" : text }

  private func red(_ text: String) -> String { isOn ? "\u{1B}[31m\(text)\u{1B}[0m" : text }
}

extension Encodable {
  /// Its JSON, with sorted keys, ending in a newline. Numbers in it must be finite.
  package func json(isPretty: Bool = true) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    do {
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    } catch {
      preconditionFailure("json: every number must be finite, got \(error)")
    }
  }
}

extension String {
  /// Lines of text in blocks, an empty line between two; empty blocks are left out.
  package init(blocks: [[String]]) {
    self = blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }
}
