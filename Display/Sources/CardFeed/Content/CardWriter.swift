import LoopTransactionsTesting

/// Writes the titles and texts of cards in whole sentences.
struct CardWriter {
  /// The title of the card.
  let title: String
  /// The sentences of the card, with a total length of 353 to 414 letters.
  let details: String

  private static let length = 353...414

  /// Writes the card `number` about `scenery`. A script that is not among
  /// `scripts` is replaced by Latin.
  init(
    _ number: Int,
    _ scenery: Scenery,
    _ scripts: Set<Script>,
    _ random: inout SeededGenerator
  ) {
    let (script, name) = Self.titles[number % Self.titles.count]
    let foreign = script != .latin && scripts.contains(script) ? Sentences.foreign[script] : nil
    title = foreign == nil && script != .latin ? Self.substitutes[number % 4] : name
    // A paragraph of its own, because its direction may be right to left.
    var (text, separator) = foreign.map { ($0, "\n") } ?? ("", "")
    var rest = Sentences.about(scenery) + Sentences.general
    rest.shuffle(using: &random)
    while text.count < Self.length.lowerBound {
      // The sentences include short ones, so there is always one that fits.
      let room = Self.length.upperBound - text.count - separator.count
      guard let next = rest.firstIndex(where: { $0.count <= room }) else { break }
      text += separator + rest.remove(at: next)
      separator = " "
    }
    details = text
  }

  // Titles have 5 to 16 letters.
  private static let titles: [(Script, String)] = [
    (.latin, "Old harbour"), (.latin, "Lighthouse"), (.latin, "Long meadow"),
    (.cyrillic, "Утро на реке"), (.latin, "Glacier"), (.greek, "Στο βουνό"),
    (.latin, "Red canyon"), (.georgian, "ზღვის პირი"), (.latin, "Birch wood"),
    (.arabic, "فجر البحيرة"), (.latin, "Summit ridge"), (.hebrew, "שחר על המדבר"),
    (.devanagari, "हिमालय की सुबह"), (.han, "湖光山色之晨"), (.latin, "Savanna"),
    (.kana, "しずかな森の朝"), (.armenian, "Սևանա լիճ"), (.hangul, "들판의 새벽"),
    (.emoji, "Pines 🌲🌊"),
  ]

  private static let substitutes = ["Fjord", "Causeway", "Estuary", "Terrace"]
}
