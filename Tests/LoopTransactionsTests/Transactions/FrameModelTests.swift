import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Commits at a clock's next frame: compared with a model")
struct FrameModelTests {
  // T11, T2, T3, T7
  @Test(
    "pairs are performed in the order of a model, after random commits and cancellations",
    arguments: 0..<40
  )
  func model(seed: UInt64) throws { try FrameModel.run(seed: seed) }
}

/// Random calls on a loop and on a model of it.
private struct FrameModel {
  private let stepped: SteppedLoop
  private let cards: [Card]
  private let clocks: [FrameClock]
  private let kept: [[Transaction]]
  private var generator: SeededGenerator
  // The names of the cards that are pending, and that wait for each clock.
  private var pending: [String] = []
  private var waiting: [[String]] = [[], []]

  static func run(seed: UInt64) throws {
    try stepping { stepped in
      var model = FrameModel(stepped, seed)
      for _ in 0..<400 { model.step() }
    }
  }

  private init(_ stepped: SteppedLoop, _ seed: UInt64) {
    self.stepped = stepped
    let loop = stepped.loop
    loop.budget = .unlimited
    cards = (0..<6).map { Card("\($0)", stepped.trace) }
    clocks = (0..<2).map { _ in FrameClock(hostedOn: loop) {} }
    kept = cards.map { card in
      [
        Transaction(card, Card.layout, on: loop), Transaction(card, Card.layout, on: loop),
        Transaction(card, Card.layout, on: loop, hold: .weak),
      ]
    }
    generator = SeededGenerator(seed: seed)
  }

  private mutating func step() {
    let (loop, index) = (stepped.loop, Int.random(in: 0..<6, using: &generator))
    let (card, name) = (cards[index], "\(index)")
    let place = Int.random(in: 0..<4, using: &generator)
    let clock = Int.random(in: 0..<2, using: &generator)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1, 2:
      if place < 3 { kept[index][place].commit() } else { loop.commit(card, Card.layout) }
      commit(name)
    case 3, 4, 5, 6:
      if place < 3 {
        kept[index][place].commit(atNextFrameOf: clocks[clock])
      } else {
        loop.commit(card, Card.layout, atNextFrameOf: clocks[clock])
      }
      if !isPending(name) { waiting[clock].append(name) }
    case 7:
      #expect(loop.cancel(card, Card.layout) == isPending(name))
      remove(name)
    case 8:
      #expect(kept[index][0].performIfNeeded() == isPending(name))
      expect(isPending(name) ? [name] : [])
      remove(name)
    case 9, 10:
      clocks[clock].beginFrame()
      let begun = waiting[clock]
      if !begun.isEmpty { expect(pending + begun) }
      if !begun.isEmpty { pending = [] }
      waiting[clock] = []
    default:
      stepped.step()
      expect(pending)
      pending = []
    }
    for transaction in kept[index] { #expect(transaction.isPending == isPending(name)) }
    let count = pending.count + waiting.joined().count
    #expect(loop.metrics.pendingTransactions == UInt64(count))
  }

  private func isPending(_ name: String) -> Bool {
    pending.contains(name) || waiting.contains { $0.contains(name) }
  }

  private mutating func commit(_ name: String) {
    guard !pending.contains(name) else { return }
    remove(name)
    pending.append(name)
  }

  private mutating func remove(_ name: String) {
    pending.removeAll { $0 == name }
    for index in waiting.indices { waiting[index].removeAll { $0 == name } }
  }

  private func expect(_ names: [String]) {
    #expect(stepped.trace.take() == names.map { "\($0).layout" })
  }
}
