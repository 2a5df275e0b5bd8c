/// Splits a long text into items, which Pango shapes one at a time.
///
/// To break a line, Pango examines the whole rest of the item. A word of 8 KiB
/// in narrow lines takes it seconds. With short items, the work is proportional
/// to the length of the text.
enum TextItems {
  /// The longest item in bytes of UTF-8, unless a single character is longer.
  static let longest = 256

  // A shorter text stays one item, so that it looks exactly as Pango would set
  // it.
  private static let shortest = 4 * longest

  /// Returns the pieces of `string`, as ranges of UTF-8 bytes; empty if
  /// `string` need not be split.
  ///
  /// A piece ends before a word if possible, and always between two characters.
  static func pieces(of string: String) -> [Range<Int>] {
    guard string.utf8.count > shortest else { return [] }
    var pieces: [Range<Int>] = []
    var (start, offset, word) = (0, 0, 0)
    var endsWord = false
    for character in string {
      let end = offset + character.utf8.count
      if endsWord, !character.isWhitespace { word = offset }
      endsWord = character.isWhitespace
      if end - start > longest, offset > start {
        // Not at a word near the start of the piece, so that there are few
        // pieces.
        let cut = word - start > longest / 2 ? word : offset
        pieces.append(start..<cut)
        start = cut
      }
      offset = end
    }
    pieces.append(start..<offset)
    return pieces
  }
}
