import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Transaction: release, and death of the target")
struct TransactionLifetimeTests {
  // T5
  @Test("a kept transaction does not retain its target until it is committed")
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
  @Test("a commit after the weak target died counts as dead")
  func targetIsGone() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let kept = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weak)
      card = nil
      kept.commit()
      #expect(!kept.isPending)
      #expect(stepped.isIdle)
      #expect(stepped.loop.metrics.dead == 1)
    }
  }

  // T2, T10
  @Test(
    "a kept transaction does not affect a new object at its dead target's address",
    .enabled(if: memoryIsReused)
  )
  func addressReused() async {
    // In a separate process, because another test could get the memory first.
    await #expect(processExitsWith: .success) {
      try stepping { stepped in
        var card: Card? = Card("old", stepped.trace)
        let kept = try Transaction(#require(card), Card.layout, on: stepped.loop, hold: .weak)
        let address = try ObjectIdentifier(#require(card))
        card = nil
        let reused = Card.atAddress(address, stepped.trace)
        let new = try #require(reused, "no object was allocated at the address in 10,000 attempts")
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
  }

  // T10
  @Test("a kept transaction released while pending is still performed")
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
      #expect(stepped.loop.metrics.performed == 1)
    }
  }

  // T10
  @Test(
    "any of four kept transactions of one pair can be released while pending",
    arguments: [Transaction.Hold.strong, .weak],
    0..<4
  )
  func oneOfManyDropped(hold: Transaction.Hold, dropped: Int) throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      var kept: [Transaction?] = (0..<4).map { _ in
        Transaction(card, Card.layout, on: stepped.loop, hold: hold)
      }
      for transaction in kept { transaction?.commit() }
      kept[dropped] = nil
      // Reuses the memory of the released transaction.
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
