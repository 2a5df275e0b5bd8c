import LoopTransactions
import LoopTransactionsTesting
import Testing

/// Texture's assertions about its coalescing queue, and cases that Texture does
/// not test.
@Suite("Transactions: coalescing as in Texture")
struct CoalescingTests {
  // T7
  @Test("performIfNeeded performs a transaction within the call, and none is pending afterwards")
  func synchronous() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      stepped.loop.commit(card, Card.layout)
      stepped.loop.performIfNeeded(card, Card.layout)
      #expect(stepped.trace.events == ["a.layout"])
      #expect(stepped.isIdle)
    }
  }

  // T3
  @Test("a commit performs nothing until the tick")
  func deferred() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      stepped.loop.commit(card, Card.layout)
      #expect(stepped.trace.events == [])
      #expect(!stepped.isIdle)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
      #expect(stepped.isIdle)
    }
  }

  // T2, T4
  @Test("a commit of a card that comes later in the same flush does not change its position")
  func samePass() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let (b, c) = (Card("b", stepped.trace), Card("c", stepped.trace))
      let a = Card("a", stepped.trace) { card in
        card.record("run")
        loop.commit(c, Card.layout)
        loop.commit(b, Card.layout)
      }
      loop.commit(a, Card.run)
      for card in [b, c] { loop.commit(card, Card.layout) }
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["a.run", "b.layout", "c.layout"])
    }
  }

  // T4
  @Test("two targets that keep committing each other alternate, one per tick, and timers fire")
  func pingPong() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let (ping, pong) = (Card("ping", trace), Card("pong", trace))
      ping.body = { card in
        card.record("run")
        loop.commit(pong, Card.run)
      }
      pong.body = { card in
        card.record("run")
        loop.commit(ping, Card.run)
      }
      loop.addTimer(after: .zero) { _ in trace.record("timer") }
      loop.commit(ping, Card.run)
      for _ in 0..<4 { stepped.step() }
      #expect(trace.events == ["timer", "ping.run", "pong.run", "ping.run", "pong.run"])
      ping.body = nil
      pong.body = nil
      stepped.runUntilIdle()
    }
  }
}
