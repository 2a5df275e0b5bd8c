import LoopTransactions
import LoopTransactionsTesting
import Testing

private func offThread(_ operation: String) -> String {
  "\(operation): the loop belongs to another thread; use its port from this one"
}

private func closed(_ operation: String) -> String {
  "\(operation): the loop is closed; make a new one, or call this before close()"
}

// L1, T6
@Suite("Transactions: calls off the loop's thread")
struct TransactionOffThreadTests {
  @Test("a commit traps")
  func commit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      elsewhere { loop.commit(card, Card.layout) }
    }
    #expect(said(result, offThread("EventLoop.commit")))
  }

  @Test("a commit of a pending pair traps")
  func commitPending() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      loop.commit(card, Card.layout)
      elsewhere { loop.commit(card, Card.layout) }
    }
    #expect(said(result, offThread("EventLoop.commit")))
  }

  @Test("a commit of a value traps")
  func commitValue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      let told = Selector<Card>.Carrying<Int>("told") { _, _ in }
      elsewhere { loop.commit(card, told, 1) }
    }
    #expect(said(result, offThread("EventLoop.commit")))
  }

  @Test("a commit through a kept transaction that is not pending traps")
  func keptCommit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let kept = Transaction(Card("a", Trace()), Card.layout, on: loop)
      elsewhere { kept.commit() }
    }
    #expect(said(result, offThread("Transaction.commit")))
  }

  @Test("a commit through a pending kept transaction traps")
  func keptCommitPending() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      let kept = Transaction(card, Card.layout, on: loop)
      kept.commit()
      elsewhere { kept.commit() }
    }
    #expect(said(result, offThread("Transaction.commit")))
  }

  @Test("creating a kept transaction traps")
  func keptInit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      elsewhere { _ = Transaction(card, Card.layout, on: loop) }
    }
    #expect(said(result, offThread("Transaction.init")))
  }

  @Test("releasing a pending kept transaction traps")
  func keptDrop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      var kept: Transaction? = Transaction(card, Card.layout, on: loop)
      kept?.commit()
      elsewhere { kept = nil }
    }
    #expect(said(result, offThread("Transaction.deinit")))
  }

  @Test("isPending of a pair traps")
  func isPending() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      elsewhere { _ = loop.isPending(card, Card.layout) }
    }
    #expect(said(result, offThread("EventLoop.isPending")))
  }

  @Test("isPending of a kept transaction traps")
  func keptIsPending() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      let kept = Transaction(card, Card.layout, on: loop)
      elsewhere { _ = kept.isPending }
    }
    #expect(said(result, offThread("Transaction.isPending")))
  }

  @Test("cancel traps")
  func cancel() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      elsewhere { loop.cancel(card, Card.layout) }
    }
    #expect(said(result, offThread("EventLoop.cancel")))
  }

  @Test("cancel of a kept transaction traps")
  func keptCancel() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      let kept = Transaction(card, Card.layout, on: loop)
      elsewhere { kept.cancel() }
    }
    #expect(said(result, offThread("Transaction.cancel")))
  }

  @Test("performIfNeeded traps")
  func performIfNeeded() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      elsewhere { loop.performIfNeeded(card, Card.layout) }
    }
    #expect(said(result, offThread("EventLoop.performIfNeeded")))
  }

  @Test("performIfNeeded of a kept transaction traps")
  func keptPerformIfNeeded() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      let kept = Transaction(card, Card.layout, on: loop)
      elsewhere { kept.performIfNeeded() }
    }
    #expect(said(result, offThread("Transaction.performIfNeeded")))
  }
}

// T10, L11
@Suite("Transactions: calls on a closed loop")
struct TransactionAfterCloseTests {
  @Test("a commit traps")
  func commit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.close()
      loop.commit(Card("a", Trace()), Card.layout)
    }
    #expect(said(result, closed("EventLoop.commit")))
  }

  @Test("a commit through a kept transaction traps")
  func keptCommit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      let kept = Transaction(card, Card.layout, on: loop)
      try loop.close()
      kept.commit()
    }
    #expect(said(result, closed("Transaction.commit")))
  }

  @Test("a commit through a kept transaction that outlives its loop traps")
  func keptCommitWithoutLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let card = Card("a", Trace())
      func orphan() throws -> Transaction {
        let loop = try EventLoop()
        defer { try? loop.close() }
        let kept = Transaction(card, Card.layout, on: loop)
        kept.commit()
        return kept
      }
      let kept = try orphan()
      precondition(!kept.isPending && !kept.cancel())
      kept.commit()
    }
    #expect(said(result, closed("Transaction.commit")))
  }

  @Test("creating a kept transaction traps")
  func keptInit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.close()
      _ = Transaction(Card("a", Trace()), Card.layout, on: loop)
    }
    #expect(said(result, closed("Transaction.init")))
  }

  @Test("performIfNeeded traps")
  func performIfNeeded() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.close()
      loop.performIfNeeded(Card("a", Trace()), Card.layout)
    }
    #expect(said(result, closed("EventLoop.performIfNeeded")))
  }

  @Test("close() performs pending transactions, and none is pending afterwards")
  func performedByClose() throws {
    let trace = Trace()
    try stepping { stepped in
      let card = Card("a", trace)
      let kept = Transaction(card, Card.layout, on: stepped.loop)
      kept.commit()
      stepped.loop.commit(card, Card.draw)
      try stepped.close()
      #expect(trace.events == ["a.layout", "a.draw"])
      #expect(!kept.isPending)
      #expect(!stepped.loop.isPending(card, Card.draw))
      #expect(!stepped.loop.cancel(card, Card.draw))
    }
  }
}
