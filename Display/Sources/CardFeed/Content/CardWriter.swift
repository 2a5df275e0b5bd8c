import LoopTransactionsTesting

/// Writes the titles and texts of cards in whole sentences.
struct CardWriter {
  /// The title of the card, with a length of 5 to 16 letters. It names
  /// something that the picture shows.
  let title: String
  /// The sentences of the card, with a total length of 353 to 414 letters.
  let details: String

  private static let length = 353...414

  /// Writes a card about `scenery` that begins in `script`. `earlier` is the
  /// number of earlier cards about the same scenery.
  init(_ scenery: Scenery, _ earlier: Int, _ script: Script, _ random: inout SeededGenerator) {
    let foreign = Translation.of(scenery)[script]
    let titles = Sentences.titles(of: scenery)
    title = foreign?.title ?? titles[earlier % titles.count]
    // A paragraph of its own, because its direction may be right to left.
    var (text, separator) = foreign.map { ($0.sentences, "\n") } ?? ("", "")
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
}
