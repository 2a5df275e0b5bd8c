/// Cuts text before Pango sets it: Pango sets a text in one step, which cannot be
/// cancelled, and its work grows with the square of each of these numbers.
struct TextLimiter: Hashable, Sendable {
  private var marks = 0
  private var tabs = 0
  private var paragraphs = 1
  private var endsInReturn = false

  /// Whether text was left out at the end. Everything after it is left out, too.
  private(set) var isCut = false

  /// Leaves out everything that follows.
  mutating func cut() { isCut = true }

  /// Returns the part of `more` that may follow in `room` bytes of UTF-8, and how many
  /// bytes of marks were left out of it.
  ///
  /// - Complexity: O(`room`), unless marks are left out: then O(n) in those.
  mutating func take(_ more: String, room: Int) -> (text: String, omitted: Int) {
    var (text, count, omitted) = ("", 0, 0)
    for scalar in more.unicodeScalars {
      guard let next = replacement(of: scalar) else {
        omitted += UTF8.width(scalar)
        // A picture of a letter with megabytes of marks ends here.
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

  // What stands for `scalar`; nil for a mark too many.
  private mutating func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    if scalar.value >= 0x300, Self.isMark(scalar) {
      if marks == AttributedText.mostMarks { return nil }
      marks += 1
      return scalar
    }
    marks = 0
    // Pango takes a zero for the end of the text.
    if scalar == "\0" { return "\u{FFFD}" }
    guard scalar == "\t" else { return scalar }
    if tabs == AttributedText.mostTabs { return " " }
    tabs += 1
    return scalar
  }

  // Whether there may be so many; counts the one that `scalar` begins.
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

  // Drops the last character of `text` if `next` would have been part of it: a letter
  // without its accent is another one.
  private static func dropPart(of text: inout String, before next: Unicode.Scalar) {
    // 256: one that is longer is no letter of any language, and may be all of the text.
    guard var last = text.last.map(String.init), last.utf8.count <= 256 else { return }
    last.unicodeScalars.append(next)
    if last.count == 1 { text.removeLast() }
  }
}
