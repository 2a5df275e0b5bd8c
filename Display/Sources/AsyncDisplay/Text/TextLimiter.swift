/// Cuts text to its limits before Pango lays it out. Pango's layout is one step
/// that cannot be cancelled, and its work grows with the square of each limited
/// number.
struct TextLimiter: Hashable, Sendable {
  private var marks = 0
  private var tabs = 0
  private var paragraphs = 1
  private var endsInReturn = false

  /// Whether text was omitted at the end. If true, all text that follows is
  /// omitted, too.
  private(set) var isCut = false

  /// Marks the text as cut.
  mutating func cut() { isCut = true }

  /// Returns the part of `more` that fits in `room` bytes of UTF-8, and the
  /// number of bytes of marks that were omitted from it.
  ///
  /// - Complexity: O(`room`), plus O(n) in the number of omitted marks.
  mutating func take(_ more: String, room: Int) -> (text: String, omitted: Int) {
    var (text, count, omitted) = ("", 0, 0)
    for scalar in more.unicodeScalars {
      guard let next = replacement(of: scalar) else {
        omitted += UTF8.width(scalar)
        // Stops at a letter with thousands of marks, so that not all of the
        // marks are read.
        if omitted > AttributedText.largestByteCount { isCut = true }
        if isCut { break }
        continue
      }
      count += UTF8.width(next)
      if count > room || !countParagraph(next) {
        isCut = true
        Self.dropPart(of: &text, before: next)
        break
      }
      text.unicodeScalars.append(next)
    }
    return (text, omitted)
  }

  // Returns the scalar to use instead of `scalar`, or nil if `scalar` is an
  // excess mark to omit.
  private mutating func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    if scalar.value >= 0x300, Self.isMark(scalar) {
      if marks == AttributedText.mostMarks { return nil }
      marks += 1
      return scalar
    }
    marks = 0
    // Pango interprets a zero byte as the end of the text.
    if scalar == "\0" { return "\u{FFFD}" }
    guard scalar == "\t" else { return scalar }
    if tabs == AttributedText.mostTabs { return " " }
    tabs += 1
    return scalar
  }

  // Counts the paragraph that `scalar` begins, if it begins one. Returns false
  // if the paragraph exceeds the limit.
  private mutating func countParagraph(_ scalar: Unicode.Scalar) -> Bool {
    let wasReturn = endsInReturn
    endsInReturn = scalar == "\r"
    switch scalar {
    case "\n" where wasReturn: return true
    case "\n", "\r", "\u{2029}":
      if paragraphs == AttributedText.mostParagraphs { return false }
      paragraphs += 1
    default: break
    }
    return true
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  // Drops the last character of `text` if `next` would have been part of that
  // character, because a letter without its accent is a different letter.
  private static func dropPart(of text: inout String, before next: Unicode.Scalar) {
    // No language has letters of more than 256 bytes. A longer cluster is
    // hostile, and may be as long as the whole text.
    guard var last = text.last.map(String.init), last.utf8.count <= 256 else { return }
    last.unicodeScalars.append(next)
    if last.count == 1 { text.removeLast() }
  }
}
