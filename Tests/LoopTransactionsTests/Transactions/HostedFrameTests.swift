import LoopTransactions
import LoopTransactionsTesting
import Testing

// T11
@Suite("Commits at a host's frames")
struct HostedFrameTests {
  @Test("a host is asked once per frame, and its frame performs the pairs before it returns")
  func hosted() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let screen = FrameClock(hostedOn: loop) { trace.record("request") }
      #expect(screen.framesPerSecond == nil)
      let (a, b) = (Card("a", trace), Card("b", trace))
      screen.beginFrame()
      #expect(trace.take() == [])
      loop.commit(a, Card.layout, atNextFrameOf: screen)
      loop.commit(b, Card.layout, atNextFrameOf: screen)
      loop.cancel(b, Card.layout)
      loop.cancel(a, Card.layout)
      loop.commit(b, Card.layout, atNextFrameOf: screen)
      loop.commit(a, Card.draw)
      #expect(trace.take() == ["request"])
      screen.beginFrame()
      #expect(trace.take() == ["a.draw", "b.layout"])
      #expect(stepped.isIdle)
      screen.beginFrame()
      loop.commit(b, Card.layout, atNextFrameOf: screen)
      #expect(trace.take() == ["request"])
      stepped.advance(by: .seconds(1))
      #expect(trace.take() == [])
    }
  }

  @Test("a commit made in a host's frame waits for the next one, which is requested")
  func again() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let screen = FrameClock(hostedOn: loop) { trace.record("request") }
      let card = Card("a", trace) { card in
        card.record("run")
        loop.commit(card, Card.run, atNextFrameOf: screen)
      }
      loop.commit(card, Card.run, atNextFrameOf: screen)
      for _ in 0..<2 { screen.beginFrame() }
      #expect(trace.events == ["request", "a.run", "request", "a.run", "request"])
      loop.cancel(card, Card.run)
    }
  }

  @Test("a frame that begins inside an action is performed in the next tick")
  func nested() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let screen = FrameClock(hostedOn: loop) {}
      let inner = Card("b", trace)
      let card = Card("a", trace) { card in
        loop.commit(inner, Card.layout, atNextFrameOf: screen)
        screen.beginFrame()
        card.record("end")
      }
      loop.commit(card, Card.run)
      stepped.step()
      #expect(trace.take() == ["a.end"])
      stepped.step()
      #expect(trace.take() == ["b.layout"])
    }
  }

  @Test("a host may begin the frame in its request, and perform the pair")
  func immediate() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      var screen: FrameClock?
      screen = FrameClock(hostedOn: loop) { screen?.beginFrame() }
      try loop.commit(Card("a", trace), Card.layout, atNextFrameOf: #require(screen))
      #expect(trace.events == ["a.layout"])
      screen?.cancel()
      screen = nil
    }
  }

  @Test("between turns, a host's frame has a budget, and the rest makes a turn due")
  func budget() throws {  // L9, C5
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.budget = EventLoop.Budget(count: 2)
      let screen = FrameClock(hostedOn: loop) {}
      var changes = 0
      let embedding = Embedding(loop) { changes += 1 }
      let cards = ["a", "b", "c"].map { Card($0, trace) }
      for _ in 0..<3 {
        for card in cards.prefix(2) { loop.commit(card, Card.layout, atNextFrameOf: screen) }
        screen.beginFrame()
        #expect(trace.take() == ["a.layout", "b.layout"])
        #expect(changes == 0 && embedding.nextTimeout == nil)
      }
      for card in cards { loop.commit(card, Card.layout, atNextFrameOf: screen) }
      screen.beginFrame()
      #expect(trace.take() == ["a.layout", "b.layout"])
      #expect(changes == 1 && embedding.nextTimeout == .zero)
      embedding.turn()
      #expect(trace.take() == ["c.layout"])
      embedding.cancel()
    }
  }

  @Test("an action of a host's frame may close the loop")
  func closes() throws {
    let (loop, trace) = (try EventLoop(), Trace())
    let screen = FrameClock(hostedOn: loop) {}
    let card = Card("a", trace) { card in
      card.record("run")
      try? loop.close()
    }
    loop.commit(card, Card.run, atNextFrameOf: screen)
    loop.commit(Card("b", trace), Card.layout, atNextFrameOf: screen)
    screen.beginFrame()
    #expect(trace.events == ["a.run", "b.layout"])
    card.body = nil
  }

  @Test("the loop retains a hosted clock until it is cancelled")
  func retained() throws {  // L14
    try stepping { stepped in
      weak var screen: FrameClock?
      do {
        let made = FrameClock(hostedOn: stepped.loop) {}
        screen = made
      }
      #expect(screen != nil)
      screen?.cancel()
      #expect(screen == nil)
    }
  }
}
