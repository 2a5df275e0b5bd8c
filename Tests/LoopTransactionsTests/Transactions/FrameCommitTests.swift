import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Commits at a clock's next frame")
struct FrameCommitTests {
  // T11
  @Test("a pair that is committed in each of 1000 ticks is performed once per frame")
  func oncePerFrame() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      let screen = try FrameClock(on: loop, framesPerSecond: 60)
      for _ in 0..<1000 {
        loop.commit(card, Card.layout, atNextFrameOf: screen)
        stepped.advance(by: .milliseconds(1))
      }
      #expect(stepped.trace.events.count == 60)
      #expect(loop.metrics.performed == 60)
      #expect(loop.metrics.coalesced == 940)
    }
  }

  // T11, T3
  @Test("a frame's pairs are performed when it begins, in commit order, behind pending ones")
  func order() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let cards = ["a", "b", "c"].map { Card($0, trace) }
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      for card in cards.reversed() { loop.commit(card, Card.layout, atNextFrameOf: screen) }
      loop.commit(cards[2], Card.layout, atNextFrameOf: screen)
      loop.addTimer(after: .milliseconds(10)) { _ in loop.commit(cards[0], Card.draw) }
      stepped.advance(by: .nanoseconds(9_999_999))
      #expect(trace.events == [])
      #expect(cards.allSatisfy { loop.isPending($0, Card.layout) })
      stepped.advance(by: .nanoseconds(1))
      #expect(Set(trace.events.suffix(4)) == ["a.draw", "c.layout", "b.layout", "a.layout"])
      let layouts = trace.events.filter { $0.hasSuffix("layout") }
      #expect(layouts == ["c.layout", "b.layout", "a.layout"])
      #expect(!loop.isPending(cards[0], Card.layout))
    }
  }

  // T11, T2
  @Test("a pair that is pending in the tick is not performed again at the frame")
  func tickFirst() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      let screen = try FrameClock(on: loop)
      loop.commit(card, Card.layout)
      loop.commit(card, Card.layout, atNextFrameOf: screen)
      stepped.step()
      #expect(stepped.trace.events == ["a.layout"])
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.events == ["a.layout"])
    }
  }

  // T11, T2
  @Test("a commit without the clock brings a waiting pair forward, to that commit's position")
  func frameFirst() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let (a, b, c) = (Card("a", trace), Card("b", trace), Card("c", trace))
      let screen = try FrameClock(on: loop)
      loop.commit(a, Card.layout, atNextFrameOf: screen)
      loop.commit(c, Card.layout, atNextFrameOf: screen)
      loop.commit(b, Card.layout)
      loop.commit(a, Card.layout)
      stepped.step()
      #expect(trace.take() == ["b.layout", "a.layout"])
      #expect(loop.metrics.coalesced == 1)
      stepped.advance(by: .seconds(1))
      #expect(trace.take() == ["c.layout"])
    }
  }

  // T11
  @Test("a pair that waits for one clock and is committed at another waits for the first")
  func twoClocks() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      let slow = try FrameClock(on: loop, framesPerSecond: 1)
      let fast = try FrameClock(on: loop, framesPerSecond: 100)
      loop.commit(card, Card.layout, atNextFrameOf: slow)
      loop.commit(card, Card.layout, atNextFrameOf: fast)
      stepped.advance(by: .milliseconds(999))
      #expect(stepped.trace.events == [])
      stepped.advance(by: .milliseconds(1))
      #expect(stepped.trace.events == ["a.layout"])
    }
  }

  // T11, T4
  @Test("a commit made by the action waits for the next frame")
  func again() throws {
    try stepping { stepped in
      let (loop, start) = (stepped.loop, stepped.now)
      let screen = try FrameClock(on: loop, framesPerSecond: 10)
      var left = 3
      let card = Card("a", stepped.trace) { card in
        card.record("\(start.duration(to: stepped.now))")
        left -= 1
        if left > 0 { loop.commit(card, Card.run, atNextFrameOf: screen) }
      }
      stepped.advance(by: .milliseconds(350))
      loop.commit(card, Card.run, atNextFrameOf: screen)
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.events == ["a.0.4 seconds", "a.0.5 seconds", "a.0.6 seconds"])
    }
  }

  // T11, T5
  @Test("a waiting pair retains its target, and releases it on the loop")
  func retains() throws {
    try stepping { stepped in
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      let screen = try FrameClock(on: stepped.loop)
      try stepped.loop.commit(#require(probe), ReleaseProbe.touch, atNextFrameOf: screen)
      probe = nil
      #expect(stepped.trace.events == [])
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.events == ["touched", "released here"])
    }
  }

  // T11, T5
  @Test("a weak target that dies while it waits is skipped and counted")
  func weak() throws {
    try stepping { stepped in
      let (loop, screen) = (stepped.loop, try FrameClock(on: stepped.loop))
      var card: Card? = Card("a", stepped.trace)
      let kept = try Transaction(#require(card), Card.layout, on: loop, hold: .weak)
      kept.commit(atNextFrameOf: screen)
      #expect(kept.isPending)
      card = nil
      #expect(!kept.isPending)
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.events == [])
      #expect(loop.metrics.dead == 1)
      kept.commit(atNextFrameOf: screen)
      #expect(loop.metrics.dead == 2)
      #expect(stepped.isIdle)
    }
  }

  // T11, T5
  @Test("a weak commit at a clock that was cancelled stays weak")
  func weakWithoutFrame() throws {
    try stepping { stepped in
      let (loop, screen) = (stepped.loop, try FrameClock(on: stepped.loop))
      var card: Card? = Card("a", stepped.trace)
      let kept = try Transaction(#require(card), Card.layout, on: loop, hold: .weak)
      screen.cancel()
      kept.commit(atNextFrameOf: screen)
      #expect(kept.isPending)
      card = nil
      stepped.runUntilIdle()
      #expect(stepped.trace.events == [])
      #expect(loop.metrics.dead == 1)
    }
  }

  // T11, T5
  @Test("a strong commit of a pair that waits weakly makes the pair strong")
  func promoted() throws {
    try stepping { stepped in
      let (loop, screen) = (stepped.loop, try FrameClock(on: stepped.loop))
      var card: Card? = Card("a", stepped.trace)
      let kept = try Transaction(#require(card), Card.layout, on: loop, hold: .weak)
      kept.commit(atNextFrameOf: screen)
      try loop.commit(#require(card), Card.layout, atNextFrameOf: screen)
      card = nil
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.events == ["a.layout"])
    }
  }

  // T11, T7
  @Test("a waiting pair can be queried, cancelled and performed")
  func pending() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      let screen = try FrameClock(on: loop)
      let kept = Transaction(card, Card.layout, on: loop)
      #expect(!kept.isPending)
      kept.commit(atNextFrameOf: screen)
      #expect(kept.isPending && loop.isPending(card, Card.layout))
      #expect(loop.metrics.pendingTransactions == 1)
      #expect(loop.cancel(card, Card.layout) && !kept.isPending && !kept.cancel())
      kept.commit(atNextFrameOf: screen)
      #expect(kept.performIfNeeded() && !kept.performIfNeeded())
      #expect(stepped.trace.take() == ["a.layout"])
      #expect(loop.metrics.pendingTransactions == 0)
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.take() == [])
    }
  }

  // T11, T10
  @Test("a kept transaction released while it waits is still performed")
  func released() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      let screen = try FrameClock(on: loop)
      var kept = (0..<3).map { _ in Transaction(card, Card.layout, on: loop) }
      for each in kept { each.commit(atNextFrameOf: screen) }
      kept.remove(at: 1)
      kept.removeAll()
      stepped.advance(by: .seconds(1))
      #expect(stepped.trace.events == ["a.layout"])
    }
  }

  // T11, L9
  @Test("a frame's pairs beyond the budget are carried over to the next tick")
  func budget() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.budget = EventLoop.Budget(count: 2)
      let screen = try FrameClock(on: loop)
      let cards = ["a", "b", "c"].map { Card($0, trace) }
      for card in cards { loop.commit(card, Card.layout, atNextFrameOf: screen) }
      loop.addObserver(for: .afterWaiting) { _ in trace.record("tick") }
      stepped.advance(by: .milliseconds(20))
      let events = trace.events.joined(separator: " ")
      #expect(events.contains("a.layout b.layout tick c.layout tick"), "\(events)")
    }
  }

  // T11, L10
  @Test("a frame calls the clock's closure first, whose commits wait for the next frame")
  func closure() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let (a, b) = (Card("a", trace), Card("b", trace))
      var clock: FrameClock?
      clock = try FrameClock(on: loop, framesPerSecond: 100) { frame in
        trace.record("frame \(frame.index)")
        if let clock, frame.index == 1 { loop.commit(b, Card.layout, atNextFrameOf: clock) }
      }
      try loop.commit(a, Card.layout, atNextFrameOf: #require(clock))
      stepped.advance(by: .milliseconds(20))
      clock?.cancel()
      #expect(trace.events == ["frame 1", "a.layout", "frame 2", "b.layout"])
      clock = nil
    }
  }

  // T11
  @Test("cancelling the clock performs the waiting pairs in the tick, and later commits too")
  func clockCancelled() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      let screen = try FrameClock(on: loop)
      loop.commit(card, Card.layout, atNextFrameOf: screen)
      screen.cancel()
      #expect(loop.isPending(card, Card.layout))
      #expect(!screen.isActive)
      stepped.step()
      #expect(stepped.trace.take() == ["a.layout"])
      loop.commit(card, Card.draw, atNextFrameOf: screen)
      stepped.step()
      #expect(stepped.trace.take() == ["a.draw"])
    }
  }
}
