import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Cards")
struct CardTests {
  // D14
  @Test("cards built and drawn off the loop equal cards drawn on the loop byte for byte")
  func sameBytes() throws {
    try withDisplay(workers: 3) { display in
      var cards: [Int: Card] = [:]
      for number in 0..<24 {
        display.build { _ -> sending Card in
          let card = Card(number)
          card.frame = Rect(x: 0, y: 0, width: 80, height: 130)
          return card
        } completion: { outcome in
          cards[number] = outcome.value
          outcome.value?.load(in: display, scale: 1.5)
        }
      }
      let isFinished = display.settle()
      #expect(isFinished && cards.count == 24)
      for (number, card) in cards {
        let other = Card(number)
        other.frame = card.frame
        other.displaysAsynchronously = false
        for node in other.subnodes { node.displaysAsynchronously = false }
        other.load(in: display, scale: 1.5)
        other.displayIfNeeded()
        let (one, two) = (card.layer?.contents, other.layer?.contents)
        let isSame = one.flatMap { one in two.map { one.hasSamePixels(as: $0) } }
        #expect(isSame == true, "card \(number)")
      }
    }
  }

  // D8, D2
  @Test("cards that leave during a fling are cancelled, and the bounded memory is returned")
  func flung() throws {
    let pool = BitmapPool(keepLimit: 200_000)
    try withDisplay(workers: 3, inFlightLimit: 200_000, pool: pool) { display in
      var generator = SeededGenerator(seed: 5)
      var cells: [Card] = []
      for number in 0..<200 {
        let card = Card(number)
        card.frame = Rect(x: 0, y: 0, width: 80, height: 130)
        card.load(in: display)
        cells.append(card)
        if cells.count > 8 { cells.remove(at: Int(generator.next() % 8)).unload() }
        display.loop.run(.noWait)
      }
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(cells.allSatisfy { $0.hasDisplayedHierarchy && $0.layer?.contents != nil })
      let metrics = display.metrics
      #expect(metrics.peakInFlightBytes <= 200_000 && metrics.inFlightBytes == 0)
      #expect(metrics.begun == metrics.displayed + metrics.cancelled)
      for card in cells { card.unload() }
    }
    #expect(pool.metrics.lent == 0 && pool.metrics.keptBytes <= 200_000)
  }
}
