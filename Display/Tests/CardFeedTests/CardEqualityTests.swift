import AsyncDisplay
import CardFeed
import LoopTransactions
import Testing

@Suite("Pictures of cards")
struct CardEqualityTests {
  // D14
  @Test("each of 500 cards drawn off the loop while scrolling equals a card drawn on the loop")
  func sameBytes() throws {
    let corpus = try Workload.corpus()
    try withFeed(.s0, corpus: corpus) { still, _ in
      try withFeed(.a4, corpus: corpus) { feed, loop in
        var seen: Set<Int> = []
        for position in stride(from: 0, through: feed.range.upperBound + 700, by: 700) {
          let place = min(position, feed.range.upperBound)
          let frame = try #require(feed.settled(at: place, on: loop))
          for tile in frame.tiles where seen.insert(tile.index).inserted {
            let (one, other) = (tile.contents, still.drawAlone(tile.index))
            let isSame = one.flatMap { one in other.map { one.hasSamePixels(as: $0) } }
            #expect(isSame == true, "card \(tile.index)")
          }
        }
        #expect(seen.count == 500)
      }
    }
  }

  @Test("cards with equal content are equal, unless the number is encoded in their pictures")
  func marked() throws {
    try withFeed(.s0) { feed, _ in
      let cards = feed.corpus.cards.count
      for index in [0, 1, cards, 255, 256, 499] {
        let picture = try #require(feed.drawAlone(index))
        #expect(Card.index(in: picture) == index)
      }
      let (one, other) = (feed.drawAlone(2), feed.drawAlone(2 + cards))
      #expect(one.flatMap { one in other.map { one.hasSamePixels(as: $0) } } == false)
      let plain = Feed(feed.corpus, stage: feed.stage)
      let (first, second) = (plain.drawAlone(2), plain.drawAlone(2 + cards))
      #expect(first.flatMap { first in second.map { first.hasSamePixels(as: $0) } } == true)
    }
  }

  @Test("equal seeds produce equal cards, other seeds differ, and sizes match the tutorial's sizes")
  func seeded() throws {
    let corpus = try smallCorpus()
    #expect(try smallCorpus().cards == corpus.cards)
    #expect(try CardCorpus(seed: 20, scale: 0.1).cards != corpus.cards)
    #expect(corpus.cards.count == 19)
    for card in corpus.cards {
      #expect((353...414).contains(card.details.count))
      #expect((5...16).contains(card.title.count), "\(card.title)")
    }
    let heights = corpus.cards.map { FeedLayout.size(of: $0).height }
    #expect(heights.allSatisfy { (504...813).contains($0) }, "\(heights)")
  }
}
