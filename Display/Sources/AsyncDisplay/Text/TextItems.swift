/// Where a long text is divided into items, which Pango shapes one by one.
///
/// Where Pango breaks a line, it looks at all of the item from there on: a word of 8 KiB
/// in narrow lines takes it seconds. In short items its work is proportional to the text.
enum TextItems {
  /// The longest item, in bytes of UTF-8, if no character is longer.
  static let longest = 256

  // A shorter text is one item, so that it looks as Pango sets it.
  private static let shortest = 4 * longest

  /// The pieces of `string`, in bytes of UTF-8; none if it is short enough as it is.
  ///
  /// A piece ends before a word if there is one, and always between two characters.
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
        // Not for a word that begins near the piece's start: pieces stay few.
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
