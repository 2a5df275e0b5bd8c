import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Transaction")
struct TransactionTests {
  // T2, T10
  @Test("a kept transaction committed three times is performed once, and not counted as coalesced")
  func coalesces() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      let kept = Transaction(card, Card.layout, on: stepped.loop)
      for _ in 0..<3 { kept.commit() }
      #expect(stepped.loop.metrics.pendingTransactions == 1)
      #expect(kept.isPending)
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["a.layout"])
      #expect(!kept.isPending)
      #expect(stepped.loop.metrics.coalesced == 0)
      kept.commit()
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
      #expect(stepped.loop.metrics.performed == 2)
    }
  }

  // T4
  @Test("a kept transaction committed by its own action is performed in the next tick")
  func commitsItself() throws {
    try stepping { stepped in
      var left = 3
      var kept: Transaction?
      let card = Card("a", stepped.trace) { card in
        card.record("run")
        left -= 1
        if left > 0 { kept?.commit() }
      }
      kept = Transaction(card, Card.run, on: stepped.loop)
      kept?.commit()
      stepped.trace.follow(stepped.loop, .beforeWaiting)
      stepped.runUntilIdle()
      let tick = ["beforeWaiting", "a.run"]
      #expect(stepped.trace.events == tick + tick + tick)
      kept = nil
    }
  }

  // T10
  @Test("kept transactions of one pair are pending and performed as one")
  func twoOfOnePair() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      let kept = (0..<3).map { _ in Transaction(card, Card.layout, on: stepped.loop) }
      for round in [[0, 1, 2], [2, 1, 0], [1, 0], [2]] {
        for index in round { kept[index].commit() }
        #expect(kept.map(\.isPending) == [true, true, true])
        stepped.runUntilIdle()
        #expect(kept.map(\.isPending) == [false, false, false])
        #expect(stepped.trace.take() == ["a.layout"])
      }
      #expect(stepped.loop.metrics.coalesced == 2 + 2 + 1)
    }
  }

  // T2, T10
  @Test("a kept and a looked-up commit of one pair keep the position of the first")
  func keptAndLookedUp() throws {
    try stepping { stepped in
      let (a, b) = (Card("a", stepped.trace), Card("b", stepped.trace))
      let kept = Transaction(a, Card.layout, on: stepped.loop)
      kept.commit()
      stepped.loop.commit(b, Card.layout)
      stepped.loop.commit(a, Card.layout)
      #expect(stepped.loop.isPending(a, Card.layout))
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["a.layout", "b.layout"])

      stepped.loop.commit(b, Card.layout)
      stepped.loop.commit(a, Card.layout)
      #expect(kept.isPending)
      stepped.loop.commit(b, Card.draw)
      kept.commit()
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["b.layout", "a.layout", "b.draw"])
      #expect(stepped.loop.metrics.coalesced == 2)
    }
  }

  // T7
  @Test(
    "a kept transaction can be committed again after the loop or another transaction cancelled it"
  )
  func cancelledByOthers() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      let kept = Transaction(card, Card.layout, on: stepped.loop)
      let other = Transaction(card, Card.layout, on: stepped.loop)
      kept.commit()
      #expect(stepped.loop.cancel(card, Card.layout))
      #expect(!kept.isPending)
      kept.commit()
      #expect(other.cancel())
      #expect(!kept.isPending)
      #expect(!kept.cancel())
      stepped.runUntilIdle()
      #expect(stepped.trace.events == [])
      kept.commit()
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
      #expect(stepped.loop.metrics.cancelled == 2)
    }
  }

  // T7
  @Test("performIfNeeded performs immediately, and not again in the flush")
  func performsAtOnce() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      let kept = Transaction(card, Card.layout, on: stepped.loop)
      #expect(!kept.performIfNeeded())
      kept.commit()
      #expect(kept.performIfNeeded())
      #expect(stepped.trace.events == ["a.layout"])
      #expect(!kept.isPending)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
    }
  }
}
