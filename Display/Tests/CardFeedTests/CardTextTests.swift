import AsyncDisplay
import CardFeed
import Testing

@Suite("Texts of cards")
struct CardTextTests {
  // The frames of the title and of the text, from top to bottom.
  private func texts(of content: CardContent) -> (card: Card, texts: [TextNode]) {
    let card = Card(content, index: 0, blur: BlurFilter(radius: 1))
    card.layOutIfNeeded()
    return (card, card.subnodes.compactMap { $0 as? TextNode })
  }

  private func expectWhole(_ content: CardContent) throws {
    let (card, texts) = texts(of: content)
    try #require(texts.count == 2)
    for text in texts {
      let all = text.measure(in: Size(width: text.frame.size.width, height: .infinity))
      let shown = text.measure(in: text.frame.size)
      #expect(shown.lineCount > 0 && shown == all && !shown.isTruncated, "\(text.text.string)")
    }
    let picture = FeedLayout.pictureHeight(of: content)
    #expect(texts[0].frame.origin.y > 0 && texts[0].frame.maxY < picture)
    #expect(texts[1].frame.origin.y > picture && texts[1].frame.maxY < card.bounds.maxY)
  }

  @Test("cards show all lines of their titles and texts, in every script with a font")
  func scripts() throws {
    let corpus = try CardCorpus(scale: 0.02, scripts: Script.installed)
    for content in corpus.cards { try expectWhole(content) }
  }

  @Test("a card makes room for a title and a text that are higher than in the tutorial")
  func high() throws {
    let content = try smallCorpus().cards[0]
    // Two lines are higher than a line of any script.
    let details = Array(repeating: content.details, count: 2).joined(separator: "\n")
    try expectWhole(content.with(title: "Two\nlines", details: details))
  }
}
