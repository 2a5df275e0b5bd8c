import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Transactions: isPending, cancel and performIfNeeded")
struct PendingTests {
  // T7
  @Test("a pair is pending from its commit until its action begins")
  func isPending() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let card = Card("a", stepped.trace) { card in
        card.record(loop.isPending(card, Card.run) ? "pending" : "not pending")
      }
      #expect(!loop.isPending(card, Card.run))
      loop.commit(card, Card.run)
      #expect(loop.isPending(card, Card.run))
      #expect(!loop.isPending(card, Card.layout))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.not pending"])
    }
  }

  // T7
  @Test("a cancelled pair is not performed, and is released immediately")
  func cancel() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let card = Card("a", stepped.trace)
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      #expect(!loop.cancel(card, Card.layout))
      loop.commit(card, Card.layout)
      try loop.commit(#require(probe), ReleaseProbe.touch)
      #expect(loop.cancel(card, Card.layout))
      #expect(!loop.cancel(card, Card.layout))
      try #expect(loop.cancel(#require(probe), ReleaseProbe.touch))
      probe = nil
      #expect(stepped.trace.events == ["released here"])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["released here"])
      #expect(loop.metrics.cancelled == 2)
      #expect(loop.metrics.performed == 0)
    }
  }

  // T2, T7
  @Test("a pair that is committed again after a cancel goes to the end")
  func cancelledGoesToTheEnd() throws {
    try stepping { stepped in
      let (a, b) = (Card("a", stepped.trace), Card("b", stepped.trace))
      stepped.loop.commit(a, Card.layout)
      stepped.loop.commit(b, Card.layout)
      stepped.loop.cancel(a, Card.layout)
      stepped.loop.commit(a, Card.layout)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["b.layout", "a.layout"])
    }
  }

  // T7
  @Test("an action can cancel a later pair of its flush, and commit it for the next")
  func cancelWithinFlush() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let (b, c) = (Card("b", stepped.trace), Card("c", stepped.trace))
      let a = Card("a", stepped.trace) { card in
        #expect(!loop.cancel(card, Card.run))
        #expect(loop.cancel(b, Card.layout))
        #expect(loop.cancel(c, Card.layout))
        loop.commit(b, Card.layout)
      }
      for commit in [(a, Card.run), (b, Card.layout), (c, Card.layout), (c, Card.draw)] {
        loop.commit(commit.0, commit.1)
      }
      stepped.step()
      #expect(stepped.trace.take() == ["c.draw"])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["b.layout"])
    }
  }

  // T7
  @Test("an action can cancel all remaining pairs, and commit them for the next tick")
  func cancelAllWithinFlush() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let others = (0..<200).map { Card("\($0)", stepped.trace) }
      let a = Card("a", stepped.trace) { _ in
        for other in others { loop.cancel(other, Card.layout) }
        for other in others.reversed() { loop.commit(other, Card.layout) }
      }
      loop.commit(a, Card.run)
      for other in others { loop.commit(other, Card.layout) }
      stepped.step()
      #expect(stepped.trace.events == [])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == others.reversed().map { "\($0.name).layout" })
    }
  }

  // T7
  @Test("performIfNeeded performs a pending pair immediately, also in an action, and only once")
  func performIfNeeded() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let b = Card("b", stepped.trace)
      let a = Card("a", stepped.trace) { card in
        card.record("begins")
        #expect(loop.performIfNeeded(b, Card.layout))
        #expect(!loop.performIfNeeded(b, Card.layout))
        #expect(!loop.performIfNeeded(card, Card.run))
        card.record("ends")
      }
      #expect(!loop.performIfNeeded(b, Card.layout))
      loop.commit(a, Card.run)
      loop.commit(b, Card.draw)
      loop.commit(b, Card.layout)
      #expect(loop.performIfNeeded(b, Card.draw))
      #expect(stepped.trace.take() == ["b.draw"])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.begins", "b.layout", "a.ends"])
      #expect(loop.metrics.performed == 3)
    }
  }

  // T7
  @Test("isPending, cancel and performIfNeeded work in timers and observers")
  func fromAnywhere() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let (a, b, c) = (Card("a", trace), Card("b", trace), Card("c", trace))
      loop.addTimer(after: .seconds(1)) { _ in
        for card in [a, b, c] { loop.commit(card, Card.layout) }
      }
      loop.addObserver(for: .beforeWaiting, order: 0) { _ in
        if loop.performIfNeeded(c, Card.layout) { trace.record("early") }
      }
      loop.addObserver(for: .beforeWaiting, order: 2_000_000) { _ in
        if loop.cancel(a, Card.layout) { trace.record("cancelled") }
      }
      loop.addObserver(for: .afterWaiting) { _ in
        #expect(!loop.isPending(b, Card.layout))
      }
      stepped.advance(by: .seconds(1))
      #expect(trace.events == ["c.layout", "early", "cancelled", "b.layout"])
    }
  }

  // T10, X1
  @Test(
    "each transaction counts once as performed, dead or cancelled; duplicates count as coalesced"
  )
  func metrics() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let cards = (0..<4).map { Card("\($0)", stepped.trace) }
      let kept = Transaction(cards[0], Card.draw, on: loop)
      var dying: Card? = Card("dying", stepped.trace)
      let weak = try Transaction(#require(dying), Card.draw, on: loop, hold: .weak)
      for card in cards + cards { loop.commit(card, Card.layout) }
      for _ in 0..<5 { kept.commit() }
      weak.commit()
      weak.commit()
      dying = nil
      loop.cancel(cards[3], Card.layout)
      stepped.runUntilIdle()
      let metrics = loop.metrics
      #expect(metrics.performed == 4)
      #expect(metrics.coalesced == 4)
      #expect(metrics.dead == 1)
      #expect(metrics.cancelled == 1)
      #expect(metrics.pendingTransactions == 0)
    }
  }
}
