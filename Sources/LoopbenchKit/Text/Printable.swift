private import FoundationEssentials
private import LoopTransactions

extension String {
  /// The string with a `?` in place of every control character except newline, so
  /// that a name from a file cannot control the terminal.
  package var printable: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { Self.isControl($0) ? "?" : $0 }))
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && scalar != "\n"
  }

  /// Pads the string with spaces to `width` characters. The spaces follow the
  /// string if `isLeft` is true, and precede it otherwise.
  package func padded(to width: Int, isLeft: Bool = false) -> String {
    isLeft
      ? self + String(repeating: " ", count: max(0, width - count))
      : indented(by: max(0, width - count))
  }

  /// Prepends `count` spaces.
  package func indented(by count: Int) -> String { String(repeating: " ", count: count) + self }

  /// Breaks the string at spaces into lines of at most `width` characters. A longer
  /// word has its own line. A number and its unit are one word.
  ///
  /// - Parameter indent: The number of spaces before each line after the first. The
  ///   first line keeps its own.
  package func wrapped(to width: Int, indent: Int = 0) -> [String] {
    guard count > width else { return [self] }
    var lines: [String] = []
    var (line, isEmpty) = (String(prefix { $0 == " " }), true)
    for word in unbreakableParts {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        (line, isEmpty) = ("".indented(by: indent), true)
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }

  /// The words of the string. A number and its unit are one word.
  private var unbreakableParts: [Substring] {
    split(separator: " ").reduce(into: []) { words, word in
      let unit = word.prefix { $0.isLetter || $0 == "%" }
      if let last = words.last, last.last?.isNumber == true, Self.units.contains(String(unit)) {
        words[words.count - 1] = last + " " + word
      } else {
        words.append(word)
      }
    }
  }

  private static let units: Set = [
    "%", "ns", "us", "µs", "ms", "s", "min", "B", "KB", "KiB", "MB", "MiB", "GB", "GiB", "Hz",
    "kHz", "MHz", "GHz",
  ]

  /// `1 round`, `2 rounds`.
  package static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
  }

  /// Replaces each scalar that `signs` contains.
  package func escaped(with signs: [Unicode.Scalar: String]) -> String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if let sign = signs[scalar] { text += sign } else { text.unicodeScalars.append(scalar) }
    }
  }

  /// The string without the spaces at its end.
  package var trimmingEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// Text for terminals and files that support only ASCII.
package enum ASCII {
  /// Replaces each special character that reports use with its ASCII form, and any
  /// other non-ASCII character with `?`.
  package static func text(_ text: String) -> String {
    text.reduce(into: "") { $0 += $1.isASCII ? String($1) : signs[$1] ?? "?" }
  }

  private static let signs: [Character: String] = [
    "·": "|", "±": "+-", "–": "-", "—": "-", "µ": "u", "×": "x", "→": "->",
    // These are replaced with exactly one character each, because they are parts of
    // drawings and of truncated names.
    "…": "~", "─": "-", "│": "|", "├": "|", "┤": "|", "┐": ".", "┌": ",", "└": "`", "┘": "'",
    "┴": "+",
  ]
}

/// Colours of verdicts and bold commands on a terminal, which mean the same without.
package struct ANSIStyle: Sendable {
  private let isOn: Bool

  package init(isOn: Bool = false) { self.isOn = isOn }

  private static let codes = [
    "faster": 32, "improved": 32, "ok": 32, "inconclusive": 33, "warn": 33, "slower": 31,
    "regressed": 31, "bad": 31, "sooner": 32, "cheaper": 32, "later": 31, "dearer": 31,
    "unsure": 33,
  ]

  /// The text in bold.
  package func bold(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// Colours the first verdict among the words of `cell` inside `text`.
  package func colored(_ cell: String, in text: String) -> String {
    guard isOn else { return text }
    let words = cell.split(separator: " ").map(String.init)
    guard let word = words.first(where: { Self.codes[$0] != nil }), let code = Self.codes[word]
    else { return text }
    return text.replacing(word, with: "\u{1B}[\(code)m\(word)\u{1B}[0m")
  }
}

extension Encodable {
  /// The value as JSON with sorted keys, ending in a newline. Every control character
  /// in a string is escaped.
  ///
  /// - Precondition: All numbers are finite.
  package func json(isPretty: Bool = true) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    do {
      let text = String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
      // JSONEncoder does not escape U+007F to U+009F. Outside of strings, JSON has no
      // control character except newlines.
      return text.escapingControls(except: "\n")
    } catch {
      fatalError("json(isPretty:): every number must be finite, got \(error)")
    }
  }
}

extension [String] {
  /// Joins the words like "a, b or c".
  package func listed(_ conjunction: String) -> String {
    guard count > 1, let last else { return joined() }
    return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}

extension String {
  /// Joins blocks of lines, with an empty line between two blocks. Empty blocks are
  /// left out.
  package init(blocks: [[String]]) {
    self = blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }
}
