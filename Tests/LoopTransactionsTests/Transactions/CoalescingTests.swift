import LoopTransactions
import LoopTransactionsTesting
import Testing

/// What Texture asserts of its coalescing queue, and what it leaves untested.
@Suite("Coalescing, as in Texture")
struct CoalescingTests {
  // T7, texture 10
  @Test("asked for at once, a transaction is performed within the call, and none is pending")
  func synchronous() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      stepped.loop.commit(card, Card.layout)
      stepped.loop.performIfNeeded(card, Card.layout)
      #expect(stepped.trace.events == ["a.layout"])
      #expect(stepped.isIdle)
    }
  }

  // T3, texture 11
  @Test("a commit performs nothing yet; the tick does")
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

  // T2, T4, texture e
  @Test("a node that changes one behind it in the pass changes it in the pass, in order")
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

  // T4, texture e
  @Test("two that commit each other for ever take one turn a tick, and timers are served")
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
