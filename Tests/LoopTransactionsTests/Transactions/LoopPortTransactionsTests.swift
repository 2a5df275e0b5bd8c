import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("LoopPort.commit")
struct LoopPortTransactionsTests {
  // T6
  @Test("commits from another thread are coalesced with the loop's own, and follow them")
  func coalesces() throws {
    try stepping { stepped in
      let (loop, port) = (stepped.loop, stepped.loop.awaitedPort)
      let cards = ["a", "b", "c"].map { SharedCard($0, stepped.trace) }
      elsewhere {
        for index in [2, 0, 2, 1] { try? port.commit(cards[index], SharedCard.layout) }
      }
      loop.commit(cards[1], SharedCard.layout)
      loop.commit(cards[0], SharedCard.layout)
      #expect(!loop.isPending(cards[2], SharedCard.layout))
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["b.layout", "a.layout", "c.layout"])
      #expect(loop.metrics.coalesced == 3)
    }
  }

  // T6
  @Test("40,000 commits of ten pairs by eight threads are performed ten times")
  func manyThreads() throws {
    try stepping { stepped in
      let port = stepped.loop.awaitedPort
      stepped.loop.budget = .unlimited
      let cards = (0..<10).map { SharedCard("\($0)", stepped.trace) }
      everywhere(8) { _ in
        for round in 0..<5000 { try? port.commit(cards[round % 10], SharedCard.layout) }
      }
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events.sorted() == (0..<10).map { "\($0).layout" })
      #expect(stepped.loop.metrics.coalesced == 40_000 - 10)
      #expect(stepped.loop.metrics.wakesSent <= 1)
    }
  }

  // T6
  @Test("a commit through the port on the loop's thread follows its posts, in the same tick")
  func onTheLoop() throws {
    try stepping { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      let card = SharedCard("a", trace)
      try port.post { trace.record("post") }
      try port.commit(card, SharedCard.layout)
      try port.commit(card, SharedCard.layout)
      #expect(stepped.runUntilIdle() == 1)
      #expect(trace.events == ["post", "a.layout"])
    }
  }

  // T6, L6
  @Test("a commit from another thread wakes a sleeping loop")
  func wakes() throws {
    let loop = try EventLoop()
    let (port, trace) = (loop.awaitedPort, Trace())
    let card = SharedCard("a", trace)
    let stop = Selector<SharedCard>("stop") { card in
      card.trace.record("performed")
      EventLoop.current?.stop()
    }
    let thread = Thread {
      // Wait until the loop is about to block, or is blocking.
      while port.metrics.ticks == 0 {}
      try? port.commit(card, stop)
    }
    // The result is .timedOut if the wake is lost.
    #expect(loop.runInTime() == .stopped)
    #expect(trace.events == ["performed"])
    thread.join()
    try loop.close()
  }

  // T5, T6
  @Test("a target that another thread commits and releases is released on the loop's thread")
  func releasedOnTheLoop() throws {
    try stepping { stepped in
      let port = stepped.loop.awaitedPort
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      elsewhere {
        if let probe { try? port.commit(probe, ReleaseProbe.touch) }
        probe = nil
      }
      #expect(stepped.trace.events == [])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched", "released here"])
    }
  }

  // T5, T6
  @Test("a pending target that another thread commits again is released once")
  func releasedOnce() throws {
    try stepping { stepped in
      let port = stepped.loop.awaitedPort
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      try stepped.loop.commit(#require(probe), ReleaseProbe.touch)
      elsewhere {
        if let probe { for _ in 0..<3 { try? port.commit(probe, ReleaseProbe.touch) } }
        probe = nil
      }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched", "released here"])
    }
  }

  // T6
  @Test("a commit through a port retains the target of a pair that is pending weakly")
  func strengthens() throws {
    try stepping { stepped in
      let port = stepped.loop.awaitedPort
      var card: SharedCard? = SharedCard("a", stepped.trace)
      let weak = try Transaction(
        #require(card),
        SharedCard.layout,
        on: stepped.loop,
        hold: .weak
      )
      weak.commit()
      elsewhere {
        if let card { try? port.commit(card, SharedCard.layout) }
        card = nil
      }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
      #expect(!weak.isPending)
    }
  }

  // T6, L2
  @Test("a closed loop refuses commits, and releases their targets")
  func refuses() throws {
    let told = Selector<SharedCard>.Carrying<ReleaseProbe>("told") { _, _ in }
    let loop = try EventLoop()
    let (port, trace) = (loop.awaitedPort, Trace())
    try loop.close()
    let card = SharedCard("a", trace)
    #expect(throws: LoopPort.PostError.closed) {
      try port.commit(ReleaseProbe(trace), ReleaseProbe.touch)
    }
    #expect(throws: LoopPort.PostError.closed) { try port.commit(card, told, ReleaseProbe(trace)) }
    #expect(trace.events == ["released here", "released here"])
    elsewhere {
      #expect(throws: LoopPort.PostError.closed) { try port.commit(card, SharedCard.layout) }
    }
  }

  // T6, T7
  @Test("a commit through the port on the loop's own thread is pending immediately")
  func pendingAtOnce() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let port = loop.awaitedPort
      let card = SharedCard("a", trace)
      try port.commit(card, SharedCard.layout)
      #expect(loop.isPending(card, SharedCard.layout))
      #expect(loop.cancel(card, SharedCard.layout))
      try port.commit(card, SharedCard.layout)
      #expect(loop.performIfNeeded(card, SharedCard.layout))
      #expect(trace.events == ["a.layout"])
      elsewhere { try? port.commit(card, SharedCard.layout) }
      #expect(!loop.isPending(card, SharedCard.layout))
      stepped.runUntilIdle()
      #expect(trace.events == ["a.layout", "a.layout"])
    }
  }
}
