import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Transaction: weak targets")
struct WeakTransactionTests {
  // T5
  @Test("a weak target that dies is skipped and counted, and does not keep the loop awake")
  func dies() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let living = Card("b", stepped.trace)
      let kept = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weak)
      kept.commit()
      stepped.loop.commit(living, Card.layout)
      card = nil
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["b.layout"])
      #expect(stepped.loop.metrics.dead == 1)
      #expect(stepped.loop.metrics.performed == 1)
      #expect(!kept.isPending)
    }
  }

  // T5, T7
  @Test("a weak target that another thread releases in the meantime is either performed or gone")
  func diesElsewhere() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let (begun, ended, slot) = (Tally(), Tally(), Slot())
      let rounds = 10_000
      let thread = TestThread {
        for round in 1...rounds {
          begun.wait(for: round)
          slot.target = nil
          ended.increment()
        }
      }
      for round in 1...rounds {
        slot.target = Quitter(loop)
        let kept = slot.target.map { Transaction($0, Quitter.quit, on: loop, hold: .weak) }
        kept?.commit()
        let before = loop.metrics.performed
        begun.increment()
        for _ in 0..<(round % 60) { _ = kept?.isPending }
        let wasPending = kept?.performIfNeeded() ?? false
        #expect(wasPending == (loop.metrics.performed > before))
        ended.wait(for: round)
        kept?.cancel()
        loop.run(.noWait)
      }
      thread.join()
      try loop.close()
    }
  }

  // T5
  @Test("a live weak target is performed, and not retained")
  func lives() throws {
    try stepping { stepped in
      let probe = ReleaseProbe(stepped.trace)
      var kept: Transaction? = Transaction(
        probe,
        ReleaseProbe.touch,
        on: stepped.loop,
        hold: .weak
      )
      kept?.commit()
      kept = nil
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched"])
      withExtendedLifetime(probe) {}
    }
  }

  // T5
  @Test(
    "a strong commit of a pair that is pending weakly retains the target and keeps the position",
    arguments: [false, true],
    [false, true]
  )
  func strengthened(isKept: Bool, weakOneIsDropped: Bool) throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let other = Card("b", stepped.trace)
      var weak: Transaction? = try Transaction(
        #require(card),
        Card.layout,
        on: stepped.loop,
        hold: .weak
      )
      weak?.commit()
      stepped.loop.commit(other, Card.layout)
      if weakOneIsDropped { weak = nil }
      let strong = try Transaction(#require(card), Card.layout, on: stepped.loop)
      if isKept { strong.commit() } else { try stepped.loop.commit(#require(card), Card.layout) }
      card = nil
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout", "b.layout"])
      #expect(!strong.isPending)
      #expect(stepped.loop.metrics.dead == 0)
      #expect(stepped.loop.metrics.coalesced == 1)
      withExtendedLifetime(weak) {}
    }
  }

  // T5
  @Test("a weak commit of a pair that is pending strongly keeps the target retained")
  func weakAfterStrong() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let weak = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weak)
      try stepped.loop.commit(#require(card), Card.layout)
      weak.commit()
      card = nil
      #expect(weak.isPending)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
    }
  }

  // T5
  @Test(
    "a new object at a dead target's address is a separate pair with its own position",
    .enabled(if: memoryIsReused)
  )
  func addressReused() async {
    // In a separate process, because another test could get the memory first.
    await #expect(processExitsWith: .success) {
      try stepping { stepped in
        var card: Card? = Card("old", stepped.trace)
        let weak = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weak)
        let address = try ObjectIdentifier(#require(card))
        let other = Card("other", stepped.trace)
        weak.commit()
        stepped.loop.commit(other, Card.layout)
        card = nil
        let reused = Card.atAddress(address, stepped.trace)
        let new = try #require(reused, "no object was allocated at the address in 10,000 attempts")
        #expect(!stepped.loop.isPending(new, Card.layout))
        // I5: the dead target's entry is gone, so this adds a new one.
        stepped.loop.commit(new, Card.layout)
        #expect(stepped.loop.isPending(new, Card.layout))
        #expect(!weak.isPending)
        stepped.runUntilIdle()
        #expect(stepped.trace.events == ["other.layout", "new.layout"])
        #expect(stepped.loop.metrics.dead == 1)
      }
    }
  }

  // T5, X1
  @Test(
    "the last pending transaction is no longer counted when a lookup finds it dead",
    .enabled(if: memoryIsReused)
  )
  func lastFoundDead() async {
    // In a separate process, because another test could get the memory first.
    await #expect(processExitsWith: .success) {
      try stepping { stepped in
        var dying: Card? = Card("old", stepped.trace)
        let address = try ObjectIdentifier(#require(dying))
        let weak = try Transaction(#require(dying), Card.layout, on: stepped.loop, hold: .weak)
        let card = Card("a", stepped.trace) { _ in weak.commit() }
        stepped.loop.commit(card, Card.run)
        stepped.step()
        #expect(stepped.loop.metrics.pendingTransactions == 1)
        dying = nil
        let reused = Card.atAddress(address, stepped.trace)
        let new = try #require(reused, "no object was allocated at the address in 10,000 attempts")
        #expect(!stepped.loop.isPending(new, Card.layout))
        #expect(stepped.isIdle)
        #expect(stepped.loop.metrics.pendingTransactions == 0)
        #expect(stepped.loop.metrics.dead == 1)
      }
    }
  }

  // T5, T7
  @Test("a transaction whose weak target died is not pending")
  func deadIsNotPending() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let weak = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weak)
      weak.commit()
      card = nil
      #expect(!weak.isPending)
      #expect(!weak.cancel())
      #expect(!weak.performIfNeeded())
      stepped.runUntilIdle()
      #expect(stepped.trace.events == [])
    }
  }

  // T7
  @Test("a pair that is pending weakly can be queried, cancelled and performed immediately")
  func askedFor() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      let weak = Transaction(card, Card.layout, on: stepped.loop, hold: .weak)
      weak.commit()
      #expect(stepped.loop.isPending(card, Card.layout))
      #expect(stepped.loop.cancel(card, Card.layout))
      #expect(!weak.isPending)
      weak.commit()
      #expect(stepped.loop.performIfNeeded(card, Card.layout))
      #expect(stepped.trace.take() == ["a.layout"])
      #expect(stepped.isIdle)
      stepped.step()
      #expect(stepped.trace.events == [])
    }
  }
}

/// A target whose deinit cancels its pending transaction.
private final class Quitter: @unchecked Sendable {
  // @unchecked: only its deinit runs on another thread, and checks which thread
  // it is on.
  static let quit = Selector<Quitter>("quit") { _ in }
  private let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  deinit { if EventLoop.current === loop { loop.cancel(self, Self.quit) } }
}

/// A target that one thread sets and another thread releases, alternately.
private final class Slot: @unchecked Sendable {
  // @unchecked: two tallies order the accesses of the two threads.
  var target: Quitter?
}

extension Tally {
  /// Spins until the tally is `count`, so that the two threads run at the same
  /// time. Yields from time to time, in case they share a processor.
  fileprivate func wait(for count: Int) {
    var spins = 0
    while value < count {
      spins += 1
      if spins % 2_000 == 0 { TestThread.yield() }
    }
  }
}
