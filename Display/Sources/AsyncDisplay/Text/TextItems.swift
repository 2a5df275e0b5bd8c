/// Splits a long text into items, which Pango shapes one at a time.
///
/// To break a line, Pango examines the whole rest of the item. If a word of 8
/// KiB is one item and its lines are narrow, this takes seconds. With short
/// items, the work is proportional to the length of the text.
enum TextItems {
  /// The maximum length of an item in bytes of UTF-8. An item is longer only if
  /// a single character is longer.
  static let longest = 256

  // Text of at most this length stays one item, so that it looks exactly as
  // Pango would set it.
  private static let shortest = 4 * longest

  /// Returns the pieces of `string` as ranges of UTF-8 bytes. The result is
  /// empty if `string` does not have to be split.
  ///
  /// A piece ends before a word if possible, and never inside a character.
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
        // A word near the start of the piece is not used as its end, so that
        // the number of pieces stays small.
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
