import LoopTransactions
import LoopTransactionsTesting
import Testing

/// Equal to all of its kind.
private final class Equal: Hashable {
  static let touch = Selector<Equal>("touch") { $0.trace.record($0.name) }

  let name: String
  let trace: Trace

  init(_ name: String, _ trace: Trace) {
    self.name = name
    self.trace = trace
  }

  static func == (_: Equal, _: Equal) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

@Suite("Commits, and their order")
struct CommitTests {
  // T2
  @Test("a pair that is pending keeps its place, however often it is committed")
  func keepsPlace() throws {
    try stepping { stepped in
      let cards = ["a", "b", "c"].map { Card($0, stepped.trace) }
      for index in [0, 1, 0, 2, 1, 0] { stepped.loop.commit(cards[index], Card.layout) }
      stepped.loop.commit(cards[0], Card.draw)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout", "b.layout", "c.layout", "a.draw"])
      #expect(stepped.loop.metrics.coalesced == 3)
      #expect(stepped.loop.metrics.performed == 4)
    }
  }

  // T2
  @Test("targets that are equal but not identical are each performed")
  func identityCounts() throws {
    try stepping { stepped in
      let targets = ["a", "b"].map { Equal($0, stepped.trace) }
      #expect(targets[0] == targets[1])
      for target in targets + targets { stepped.loop.commit(target, Equal.touch) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "b"])
    }
  }

  // T2, T3
  @Test("5,000 random commits are performed once each, in the order of the first", arguments: 1...3)
  func randomOrder(seed: UInt64) throws {
    try stepping { stepped in
      stepped.loop.budget = .unlimited
      var random = SeededGenerator(seed: seed)
      let cards = (0..<300).map { Card("\($0)", stepped.trace) }
      for _ in 0..<3 {
        var expected: [String] = []
        for _ in 0..<5000 {
          let index = Int.random(in: 0..<300, using: &random)
          let draws = Bool.random(using: &random)
          stepped.loop.commit(cards[index], draws ? Card.draw : Card.layout)
          let event = "\(index).\(draws ? "draw" : "layout")"
          if !expected.contains(event) { expected.append(event) }
        }
        #expect(stepped.runUntilIdle() == 1)
        #expect(stepped.trace.take() == expected)
      }
    }
  }

  // T3, D-5, texture f
  @Test("transactions come behind the display at 2,000,000 and queues at 0, before Int.max")
  func orderAmongObservers() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let card = Card("a", trace)
      let queue = recordingQueue(on: stepped)
      for order in [Int.max, 0x100_0000, 0xFF_FFFE, 2_000_000, 1, -1, .min] {
        loop.addObserver(for: [.beforeWaiting, .exit], order: order) { activity in
          trace.record("\(activity) \(order)")
        }
      }
      loop.commit(card, Card.layout)
      queue.enqueue(Parcel("p"))
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in loop.commit(card, Card.draw) }
      loop.run(.noWait)
      #expect(
        trace.events == [
          "beforeWaiting \(Int.min)", "beforeWaiting -1", "p, the last", "drain",
          "beforeWaiting 1", "beforeWaiting 2000000", "beforeWaiting 16777214", "a.layout",
          "beforeWaiting 16777216", "beforeWaiting \(Int.max)",
          "exit \(Int.min)", "exit -1", "exit 1", "exit 2000000", "exit 16777214", "a.draw",
          "exit 16777216", "exit \(Int.max)",
        ])
    }
  }

  // T5
  @Test("a target is kept alive until it is performed, and no longer")
  func keepsAlive() throws {
    try stepping { stepped in
      stepped.loop.commit(ReleaseProbe(stepped.trace), ReleaseProbe.touch)
      #expect(stepped.trace.events == [])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched", "released here"])
    }
  }

  // T2
  @Test("a duplicate commit retains nothing")
  func duplicatesRetainNothing() throws {
    try stepping { stepped in
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      for _ in 0..<3 { try stepped.loop.commit(#require(probe), ReleaseProbe.touch) }
      probe = nil
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched", "released here"])
    }
  }

  // T10
  @Test("the memory of a million pairs committed at once is given back by their flush")
  func shrinksAfterBurst() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let cards = (0..<1000).map { Card("\($0)", Trace()) }
      let selectors = (0..<1000).map { Selector<Card>("burst \($0)") { _ in } }
      guard let before = residentBytes() else { return try loop.close() }
      for card in cards { for selector in selectors { loop.commit(card, selector) } }
      let during = try #require(residentBytes())
      loop.run()
      let after = try #require(residentBytes())
      try loop.close()
      // 40 bytes an entry, twice 16 in the table.
      #expect(during - before > 60_000_000)
      #expect(after - before < 5_000_000)
    }
  }
}

@Suite("Flushes, and commits within them")
struct FlushTests {
  // T4
  @Test("what a flush commits is performed in the next tick, the pair at hand too")
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
  @Test("a pair that still waits in the flush is performed in it, once, at its place")
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

  // T4, D-3
  @Test("a loop on the system's clock does not block on what its flush committed")
  func doesNotBlock() throws {
    let loop = try EventLoop()
    let (port, trace) = (loop.port, Trace())
    let card = Card("a", trace)
    card.body = { card in
      card.record("run")
      if trace.events.count < 5 { loop.commit(card, Card.run) } else { loop.stop() }
    }
    // Only if the loop blocks; the port alone would let it do so for ever.
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
  @Test("a budget of two carries the rest over, in order and still pending")
  func carriesOver() throws {
    try stepping { stepped in
      let loop = stepped.loop
      loop.budget = .init(count: 2)
      let cards = ["a", "b", "c", "d", "e"].map { Card($0, stepped.trace) }
      for card in cards { loop.commit(card, Card.layout) }
      stepped.step()
      #expect(stepped.trace.take() == ["a.layout", "b.layout"])
      #expect(
        cards.map { loop.isPending($0, Card.layout) } == [false, false, true, true, true])
      // Keeps the place it has; one that is new goes behind.
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

  // T3, L9, D-4
  @Test("four milliseconds spent, a flush leaves the rest to the next tick")
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
        ])
    }
  }

  // T5, L9
  @Test("targets that died use up no budget")
  func deadUseNoBudget() throws {
    try stepping { stepped in
      stepped.loop.budget = .init(count: 1)
      var dying = (0..<10).map { Card("\($0)", stepped.trace) }
      for card in dying {
        Transaction(card, Card.layout, on: stepped.loop, hold: .weakly).commit()
      }
      dying = []
      let living = Card("a", stepped.trace)
      stepped.loop.commit(living, Card.layout)
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["a.layout"])
      #expect(stepped.loop.metrics.dead == 10)
    }
  }

  // T9, D-7
  @Test("an action that throws is reported by type and name, and the rest is performed")
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

  // T9
  @Test("without an error handler, standard error is told of an action that throws")
  func throwingByDefault() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
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

@Suite("Asking, cancelling, performing at once")
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

  // T7, D-6
  @Test("a pair that was cancelled is not performed, and is released at once")
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
  @Test("committed again after it was cancelled, a pair goes to the end")
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
  @Test("an action can cancel a pair that comes later in its flush, and commit it for the next")
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
  @Test("an action can cancel all that is left, and commit it for the next tick")
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
  @Test("performIfNeeded performs what is pending at once, in an action too, and not again")
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
  @Test("a pair can be asked for, cancelled and performed from timers and observers")
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
  @Test("each commit is counted as performed, coalesced, dead or cancelled, once")
  func metrics() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let cards = (0..<4).map { Card("\($0)", stepped.trace) }
      let kept = Transaction(cards[0], Card.draw, on: loop)
      var dying: Card? = Card("dying", stepped.trace)
      let weak = try Transaction(#require(dying), Card.draw, on: loop, hold: .weakly)
      for card in cards + cards { loop.commit(card, Card.layout) }
      for _ in 0..<5 { kept.commit() }
      weak.commit()
      weak.commit()
      dying = nil
      loop.cancel(cards[3], Card.layout)
      stepped.runUntilIdle()
      let metrics = loop.metrics
      #expect(metrics.performed == 4)
      #expect(metrics.coalesced == 4 + 4 + 1)
      #expect(metrics.dead == 1)
      #expect(metrics.cancelled == 1)
      #expect(metrics.pendingTransactions == 0)
    }
  }
}
