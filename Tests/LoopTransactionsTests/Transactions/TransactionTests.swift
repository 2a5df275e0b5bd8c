import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Transaction")
struct TransactionTests {
  // T2, T10
  @Test("a kept transaction committed three times is performed once, and counts two coalesced")
  func coalesces() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      let kept = Transaction(card, Card.layout, on: stepped.loop)
      for _ in 0..<3 { kept.commit() }
      #expect(kept.isPending)
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["a.layout"])
      #expect(!kept.isPending)
      #expect(stepped.loop.metrics.coalesced == 2)
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
  @Test("two kept transactions of one pair are pending and performed as one, again and again")
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
  @Test("a kept and a looked-up commit of one pair keep the place of whichever was first")
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
    "cancelled through the loop or another of its pair, a kept transaction can be committed anew")
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
  @Test("performIfNeeded performs at once, and not again in the flush")
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

@Suite("Transaction, dropped or without its target")
struct TransactionLifetimeTests {
  // T5
  @Test("a kept transaction does not keep its target alive until it is committed")
  func keepsTargetWhilePending() throws {
    try stepping { stepped in
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      let kept = try Transaction(#require(probe), ReleaseProbe.touch, on: stepped.loop)
      kept.commit()
      probe = nil
      #expect(stepped.trace.events == [])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched", "released here"])
    }
  }

  // T5, T10
  @Test("committed after its target died, a kept transaction is counted dead and not pending")
  func targetIsGone() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let kept = try Transaction(#require(card), Card.layout, on: stepped.loop)
      card = nil
      kept.commit()
      #expect(!kept.isPending)
      #expect(stepped.isIdle)
      #expect(stepped.loop.metrics.dead == 1)
    }
  }

  // T2, T10
  @Test("a kept transaction has nothing to do with a new object at its dead target's address")
  func addressReused() throws {
    try stepping { stepped in
      var card: Card? = Card("old", stepped.trace)
      let kept = try Transaction(#require(card), Card.layout, on: stepped.loop)
      let address = try ObjectIdentifier(#require(card))
      card = nil
      let reused = Card.atAddress(address, stepped.trace)
      let new = try #require(reused, "the system gave the address to nobody in 10,000 attempts")
      stepped.loop.commit(new, Card.layout)
      #expect(!kept.isPending)
      #expect(!kept.cancel())
      #expect(!kept.performIfNeeded())
      kept.commit()
      #expect(stepped.loop.isPending(new, Card.layout))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["new.layout"])
    }
  }

  // T10
  @Test("a kept transaction dropped while pending is performed all the same")
  func droppedWhilePending() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      var kept: Transaction? = Transaction(card, Card.layout, on: stepped.loop)
      kept?.commit()
      kept?.commit()
      kept = nil
      #expect(stepped.loop.isPending(card, Card.layout))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
      #expect(stepped.loop.metrics.coalesced == 1)
    }
  }

  // T10
  @Test(
    "of four kept transactions of one pair any can be dropped while pending",
    arguments: [Transaction.Hold.strongly, .weakly], 0..<4)
  func oneOfManyDropped(hold: Transaction.Hold, dropped: Int) throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      var kept: [Transaction?] = (0..<4).map { _ in
        Transaction(card, Card.layout, on: stepped.loop, hold: hold)
      }
      for transaction in kept { transaction?.commit() }
      kept[dropped] = nil
      // Takes the memory of the one that is gone.
      let other = Transaction(card, Card.draw, on: stepped.loop)
      other.commit()
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["a.layout", "a.draw"])
      #expect(kept.compactMap { $0?.isPending } == [false, false, false])
      for transaction in kept { transaction?.commit() }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
    }
  }
}

@Suite("Transaction, held weakly")
struct WeakTransactionTests {
  // T5
  @Test("a target that dies while it is held weakly is skipped, counted, and keeps nothing awake")
  func dies() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let living = Card("b", stepped.trace)
      let kept = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weakly)
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

  // T5
  @Test("a target that lives is performed, and was not kept alive meanwhile")
  func lives() throws {
    try stepping { stepped in
      let probe = ReleaseProbe(stepped.trace)
      var kept: Transaction? = Transaction(
        probe, ReleaseProbe.touch, on: stepped.loop, hold: .weakly)
      kept?.commit()
      kept = nil
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched"])
      withExtendedLifetime(probe) {}
    }
  }

  // T5
  @Test(
    "a strong commit of a pair that is pending weakly keeps the target, and the place",
    arguments: [false, true], [false, true])
  func strengthened(isKept: Bool, weakOneIsDropped: Bool) throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let other = Card("b", stepped.trace)
      var weak: Transaction? = try Transaction(
        #require(card), Card.layout, on: stepped.loop, hold: .weakly)
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
  @Test("a weak commit of a pair that is pending strongly leaves the target kept alive")
  func weakAfterStrong() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let weak = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weakly)
      try stepped.loop.commit(#require(card), Card.layout)
      weak.commit()
      card = nil
      #expect(weak.isPending)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
    }
  }

  // T5, D-8
  @Test("a new object at a dead target's address is a pair of its own, at its own place")
  func addressReused() throws {
    try stepping { stepped in
      var card: Card? = Card("old", stepped.trace)
      let weak = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weakly)
      let address = try ObjectIdentifier(#require(card))
      let other = Card("other", stepped.trace)
      weak.commit()
      stepped.loop.commit(other, Card.layout)
      card = nil
      let reused = Card.atAddress(address, stepped.trace)
      let new = try #require(reused, "the system gave the address to nobody in 10,000 attempts")
      #expect(!stepped.loop.isPending(new, Card.layout))
      stepped.loop.commit(new, Card.layout)
      #expect(stepped.loop.isPending(new, Card.layout))
      #expect(!weak.isPending)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["other.layout", "new.layout"])
      #expect(stepped.loop.metrics.dead == 1)
    }
  }

  // T5, X1
  @Test("found dead by a look at its address, the last pending transaction is counted off")
  func lastFoundDead() throws {
    try stepping { stepped in
      var dying: Card? = Card("old", stepped.trace)
      let address = try ObjectIdentifier(#require(dying))
      let weak = try Transaction(#require(dying), Card.layout, on: stepped.loop, hold: .weakly)
      let card = Card("a", stepped.trace) { _ in weak.commit() }
      stepped.loop.commit(card, Card.run)
      stepped.step()
      #expect(stepped.loop.metrics.pendingTransactions == 1)
      dying = nil
      let reused = Card.atAddress(address, stepped.trace)
      let new = try #require(reused, "the system gave the address to nobody in 10,000 attempts")
      #expect(!stepped.loop.isPending(new, Card.layout))
      #expect(stepped.isIdle)
      #expect(stepped.loop.metrics.pendingTransactions == 0)
      #expect(stepped.loop.metrics.dead == 1)
    }
  }

  // T5, T7
  @Test("a transaction whose target died while it was held weakly is not pending any more")
  func deadIsNotPending() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let weak = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weakly)
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
  @Test("a pair that is pending weakly can be asked for, cancelled, and performed at once")
  func askedFor() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      let weak = Transaction(card, Card.layout, on: stepped.loop, hold: .weakly)
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
