import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Transactions: flushes and commits within them")
struct FlushTests {
  // T4
  @Test("a commit during a flush, even of the running pair, is performed in the next tick")
  func commitsWithinFlush() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let other = Card("other", trace)
      let card = Card("a", trace) { card in
        card.record("run")
        card.body = { $0.record("again") }
        loop.commit(card, Card.run)
        loop.commit(other, Card.layout)
        #expect(loop.isPending(card, Card.run))
      }
      trace.follow(loop, .beforeWaiting)
      loop.commit(card, Card.run)
      stepped.step()
      #expect(trace.take() == ["beforeWaiting", "a.run"])
      #expect(!stepped.isIdle)
      #expect(stepped.runUntilIdle() == 1)
      #expect(trace.events == ["beforeWaiting", "a.again", "other.layout"])
    }
  }

  // T2, T4
  @Test("a commit of a pair that still waits in the flush performs it in that flush, once")
  func commitsOneThatWaits() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let (b, c) = (Card("b", stepped.trace), Card("c", stepped.trace))
      let a = Card("a", stepped.trace) { _ in loop.commit(c, Card.layout) }
      loop.commit(a, Card.run)
      loop.commit(b, Card.layout)
      loop.commit(c, Card.layout)
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["b.layout", "c.layout"])
    }
  }

  // T4
  @Test("a loop on the system's clock does not block before it performs its flush's commits")
  func doesNotBlock() throws {
    let loop = try EventLoop()
    let (port, trace) = (loop.awaitedPort, Trace())
    let card = Card("a", trace)
    card.body = { card in
      card.record("run")
      if trace.events.count < 5 { loop.commit(card, Card.run) } else { loop.stop() }
    }
    // The timer fires only if the loop blocks. Without the timer, a blocked
    // loop would never return.
    let guardian = loop.addTimer(after: .seconds(30)) { _ in loop.stop() }
    loop.commit(card, Card.run)
    #expect(loop.run() == .stopped)
    #expect(trace.events == Array(repeating: "a.run", count: 5))
    guardian.cancel()
    card.body = nil
    withExtendedLifetime(port) {}
    try loop.close()
  }

  // T3, L9
  @Test("a count budget of two carries the rest over, in order and still pending")
  func carriesOver() throws {
    try stepping { stepped in
      let loop = stepped.loop
      loop.budget = .init(count: 2)
      let cards = ["a", "b", "c", "d", "e"].map { Card($0, stepped.trace) }
      for card in cards { loop.commit(card, Card.layout) }
      stepped.step()
      #expect(stepped.trace.take() == ["a.layout", "b.layout"])
      #expect(
        cards.map { loop.isPending($0, Card.layout) } == [false, false, true, true, true]
      )
      // A pending pair keeps its position, and a new one is appended.
      loop.commit(cards[4], Card.layout)
      loop.commit(cards[0], Card.layout)
      loop.commit(cards[3], Card.layout)
      stepped.step()
      #expect(stepped.trace.take() == ["c.layout", "d.layout"])
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["e.layout", "a.layout"])
      #expect(loop.metrics.carriedOver == 2)
      #expect(loop.metrics.coalesced == 2)
    }
  }

  // T3, L9
  @Test("after four milliseconds, a flush leaves the rest to the next tick")
  func carriesOverByTime() throws {
    try stepping { stepped in
      let cards = ["a", "b", "c", "d", "e"].map { name in
        Card(name, stepped.trace) { card in
          card.record("run")
          stepped.spend(.milliseconds(2))
        }
      }
      for card in cards { stepped.loop.commit(card, Card.run) }
      stepped.trace.follow(stepped.loop, .beforeWaiting)
      #expect(stepped.runUntilIdle() == 3)
      #expect(
        stepped.trace.events == [
          "beforeWaiting", "a.run", "b.run", "beforeWaiting", "c.run", "d.run", "beforeWaiting",
          "e.run",
        ]
      )
    }
  }

  // T5, L9
  @Test("dead targets use no budget")
  func deadUseNoBudget() throws {
    try stepping { stepped in
      stepped.loop.budget = .init(count: 1)
      var dying = (0..<10).map { Card("\($0)", stepped.trace) }
      for card in dying {
        Transaction(card, Card.layout, on: stepped.loop, hold: .weak).commit()
      }
      dying = []
      let living = Card("a", stepped.trace)
      stepped.loop.commit(living, Card.layout)
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["a.layout"])
      #expect(stepped.loop.metrics.dead == 10)
    }
  }

  // T9
  @Test("an action that throws is reported by type and name, and the others are performed")
  func throwing() throws {
    struct Failure: Error {}
    try stepping { stepped in
      let trace = stepped.trace
      let failing = Selector<Card>("failing") { _ in throw Failure() }
      stepped.loop.errorHandler = { failure in
        #expect(ObjectIdentifier(failure.targetType) == ObjectIdentifier(Card.self))
        #expect(failure.error is Failure)
        trace.record("\(failure.selector): \(failure)")
      }
      let card = Card("a", trace)
      stepped.loop.commit(card, Card.layout)
      stepped.loop.commit(card, failing)
      stepped.loop.commit(card, Card.draw)
      stepped.runUntilIdle()
      let report = "failing: LoopTransactions: Card.failing threw Failure()"
      #expect(trace.take() == ["a.layout", report, "a.draw"])
      stepped.loop.commit(card, failing)
      #expect(stepped.loop.performIfNeeded(card, failing))
      #expect(trace.events == [report])
      #expect(stepped.loop.metrics.performed == 4)
    }
  }

  // T9, L11
  @Test(
    "an action that throws after it closed its adopted loop is still reported",
    arguments: [0, 1]
  )
  func throwingAfterClose(isPerformedAtOnce: Int) throws {
    struct Failure: Error {}
    let (host, trace) = (ForeignLoop(), Trace())
    let loop = try EventLoop(adopting: host.address)
    loop.errorHandler = { trace.record("\($0)") }
    let (card, closer) = (Card("a", trace), Smuggled(loop))
    let closing = Selector<Card>("closing \(isPerformedAtOnce)") { _ in
      try closer.value.close()
      throw Failure()
    }
    loop.commit(card, closing)
    if isPerformedAtOnce == 1 {
      #expect(loop.performIfNeeded(card, closing))
    } else {
      host.run(.noWait)
    }
    #expect(trace.events == ["LoopTransactions: Card.closing \(isPerformedAtOnce) threw Failure()"])
    #expect(host.close())
  }

  // L9
  @Test("after light actions, at most one heavy action exceeds the budget")
  func lightThenHeavy() throws {
    // Uses the system's clock, which the loop does not read after every light
    // action.
    try withLoop { loop in
      loop.budget = .init(time: .microseconds(200))
      let trace = Trace()
      let heavy = Selector<Card>("heavy") { _ in spin(for: .milliseconds(1)) }
      let cards = (0..<8).map { Card("\($0)", trace) }
      for card in cards { loop.commit(card, Card.run) }
      for card in cards { loop.commit(card, heavy) }
      var performed: [UInt64] = []
      loop.addObserver(for: .afterWaiting) { _ in performed.append(loop.metrics.performed) }
      loop.run()
      #expect(performed.first.map { $0 <= 9 } == true)
      #expect(loop.metrics.performed == 16)
    }
  }

  // T9
  @Test("without an error handler, an action that throws is reported on standard error")
  func throwingByDefault() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      struct Failure: Error {}
      let loop = try EventLoop()
      let card = Card("a", Trace())
      loop.commit(card, Selector<Card>("failing") { _ in throw Failure() })
      loop.run()
      try loop.close()
    }
    #expect(said(result, "LoopTransactions: Card.failing threw Failure()\n"))
  }
}
