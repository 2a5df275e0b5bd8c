import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Values that wait for a clock's next frame")
struct FrameValueTests {
  // T11, T8
  @Test("values are merged, whether they were committed with the clock or without")
  func values() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      let sum = Selector<Card>.Carrying<Int>("frame sum", merge: +) { $0.record("\($1)") }
      let screen = try FrameClock(on: loop)
      for number in 1...4 { loop.commit(card, sum, number, atNextFrameOf: screen) }
      #expect(loop.isPending(card, sum))
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.take() == ["a.10"])
      loop.commit(card, sum, 1, atNextFrameOf: screen)
      loop.commit(card, sum, 2)
      loop.commit(card, sum, 4, atNextFrameOf: screen)
      stepped.step()
      #expect(stepped.trace.take() == ["a.7"])
      loop.commit(card, sum, 1, atNextFrameOf: screen)
      #expect(loop.cancel(card, sum))
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.take() == [])
    }
  }

  // T11, T8
  @Test("a merge closure may perform, cancel or commit the waiting pair")
  func mergeUsesPair() throws {
    for change in ["perform", "cancel", "commit", "stop the clock"] {
      try stepping { stepped in
        let (loop, card) = (stepped.loop, Card("a", stepped.trace))
        let screen = try FrameClock(on: loop)
        let box = Smuggled(MergeBox(loop, card, screen))
        let sum = Selector<Card>.Carrying<Int>(
          "frame merge \(change)",
          merge: {
            box.value.run()
            return $0 + $1
          },
          { $0.record("\($1)") }
        )
        box.value.change = { box in
          switch change {
          case "perform": box.loop.performIfNeeded(box.card, sum)
          case "cancel": box.loop.cancel(box.card, sum)
          case "commit": box.loop.commit(box.card, sum, 100)
          default: box.screen.cancel()
          }
        }
        loop.commit(card, sum, 1, atNextFrameOf: screen)
        loop.commit(card, sum, 2, atNextFrameOf: screen)
        stepped.advance(by: .seconds(1))
        let expected = [
          "perform": ["a.1", "a.2"], "cancel": ["a.2"], "commit": ["a.103"],
          "stop the clock": ["a.3"],
        ]
        #expect(stepped.trace.events == expected[change], "\(change)")
        box.value.change = nil
      }
    }
  }
}

/// The objects that a merge closure uses.
private final class MergeBox {
  let loop: EventLoop
  let card: Card
  let screen: FrameClock
  var change: ((MergeBox) -> Void)?

  init(_ loop: EventLoop, _ card: Card, _ screen: FrameClock) {
    (self.loop, self.card, self.screen) = (loop, card, screen)
  }

  func run() {
    // Once, because the closure commits the pair again.
    let change = change
    self.change = nil
    change?(self)
  }
}
