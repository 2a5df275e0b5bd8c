import LoopTransactions
import TestSupport
import Testing

@Suite("TransactionGroup, TransactionContainer")
struct TransactionGroupTests {
  // O7
  @Test("open transactions are committed at the end of the tick, after every observer")
  func lastOfAll() throws {
    try withLoop { loop in
      var events: [String] = []
      let transaction = AsyncTransaction(on: loop)
      loop.addObserver(for: .beforeWaiting, order: .max - 1, repeats: false) { _ in
        events.append("\(transaction.state)")
      }
      loop.commit { events.append("T \(transaction.state)") }
      loop.transactionGroup.add(transaction)
      loop.transactionGroup.add(transaction)
      #expect(loop.transactionGroup.count == 1)
      loop.run(.noWait)
      #expect(events == ["T open", "open"])
      #expect(transaction.state != .open)
      #expect(loop.runInTime() == .finished)
      #expect(transaction.state == .complete)
    }
  }

  // O7
  @Test("a transaction added while the group commits is committed in the next tick")
  func nextTick() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let first = AsyncTransaction(on: loop, scheduler: scheduler, start: .onCommit)
      let later = AsyncTransaction(on: loop)
      var openedIn: AsyncTransaction.State?
      // An operation cancelled before it started is released when the group
      // commits `first`.
      let opens = {
        openedIn = first.state
        loop.transactionGroup.add(later)
      }
      first.add("held", holding(opens)).cancel()
      // The loop waits for this operation. Nothing else causes another tick.
      first.add { _ in }
      loop.transactionGroup.add(first)
      let second = AsyncTransaction(on: loop)
      second.add { _ in }
      loop.transactionGroup.add(second)
      var states: [[AsyncTransaction.State]] = []
      var wasOpenAtRest = false
      loop.addObserver(for: .afterWaiting) { _ in
        states.append([second.state, later.state])
        if states.count == 2 { frozen.thaw() }
      }
      Interposed.beforeBlocking { _ in
        if later.state == .open { wasOpenAtRest = true }
      } _: {
        #expect(loop.runInTime() == .finished)
      }
      #expect(openedIn == .committed)
      #expect(states.first == [.committed, .open])
      #expect(states.dropFirst().first?.last == .committed)
      #expect(!wasOpenAtRest && later.state == .complete)
    }
  }

  // O7
  @Test("a transaction may be committed before its group commits it at the end of the tick")
  func byHand() throws {
    try withLoop { loop in
      let transaction = AsyncTransaction(on: loop)
      loop.transactionGroup.add(transaction)
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(transaction.state == .complete)
    }
  }

  // O7
  @Test("a run commits transactions opened by its exit observers before it returns")
  func atExit() throws {
    try withLoop { loop in
      let transaction = AsyncTransaction(on: loop)
      loop.addObserver(for: .exit, repeats: false) { _ in
        loop.transactionGroup.add(transaction)
      }
      loop.run()
      #expect(transaction.state != .open)
      #expect(loop.runInTime() == .finished)
      #expect(transaction.state == .complete)
    }
  }

  // O7
  @Test("the first part of a container to finish waits for the other; both complete together")
  func partsAppearTogether() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 2)
      let card = TransactionContainer(on: loop, name: "card", collects: true, scheduler: scheduler)
      let parts = (0..<2).map { _ in TransactionContainer(on: loop, in: card) }
      var shown: [Int] = []
      var hooks: [String] = []
      card.willBegin = { _ in hooks.append("begin") }
      card.didComplete = { _ in hooks.append("complete") }
      let goOn = Gate()
      let ready = Gate()
      parts[0].transaction.add { _ in
        ready.open()
      } completion: { _ in
        shown.append(0)
      }
      parts[1].transaction.add { _ in
        goOn.wait()
      } completion: { _ in
        shown.append(1)
      }
      #expect(card.isPending && !parts[0].isPending)
      loop.run(.noWait)
      #expect(ready.waitInTime())
      for _ in 0..<20 { loop.run(.noWait) }
      #expect(shown == [] && hooks == ["begin"])
      goOn.open()
      #expect(loop.runInTime() == .finished)
      #expect(shown == [0, 1])
      #expect(hooks == ["begin", "complete"])
      #expect(!card.isPending)
    }
  }

  // O7
  @Test(
    "a container uses the nearest collecting container, or itself if there is none"
  )
  func nearest() throws {
    try withLoop { loop in
      let outer = TransactionContainer(on: loop, collects: true)
      let inner = TransactionContainer(on: loop, in: outer, collects: true)
      let leaf = TransactionContainer(on: loop, in: inner)
      let other = TransactionContainer(on: loop, in: outer)
      let alone = TransactionContainer(on: loop)
      #expect(leaf.collector === inner && other.collector === outer && alone.collector === alone)
      #expect(leaf.transaction === inner.transaction)
      #expect(leaf.transaction !== outer.transaction)
      #expect(other.transaction === outer.transaction)
      inner.collects = false
      #expect(leaf.collector === outer)
      #expect(loop.runInTime() == .finished)
      #expect(![outer, inner, alone].contains { $0.isPending })
    }
  }

  // O7
  @Test("a container that would enclose itself traps")
  func cycles() async throws {
    let longer = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let page = TransactionContainer(on: loop, name: "page")
        let card = TransactionContainer(on: loop, in: page, name: "card")
        page.parent = TransactionContainer(on: loop, in: card, name: "cover")
      }
    }
    #expect(said(longer, "TransactionContainer.parent: page encloses its new parent, cover"))
    let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let page = TransactionContainer(on: loop, name: "page")
        page.parent = page
      }
    }
    #expect(said(own, "TransactionContainer.parent: page encloses its new parent, page"))
    // A container may move, also to a former part of itself.
    try withLoop { loop in
      let page = TransactionContainer(on: loop, collects: true)
      let card = TransactionContainer(on: loop, in: page)
      card.parent = nil
      page.parent = card
      card.collects = true
      page.collects = false
      #expect(page.collector === card)
    }
  }

  // O7
  @Test("parts added in the next tick go into a new transaction")
  func oneForEachTick() throws {
    try withLoop { loop in
      let card = TransactionContainer(on: loop, collects: true, scheduler: .alone())
      let goOn = Gate()
      let first = card.transaction
      first.add { _ in goOn.wait() }
      loop.run(.noWait)
      let second = card.transaction
      #expect(second !== first && first.state == .committed && second.state == .open)
      goOn.open()
      #expect(loop.runInTime() == .finished)
    }
  }

  // O7
  @Test("a released container leaves its transaction to the group")
  func droppedContainer() throws {
    try withLoop { loop in
      weak var transaction: AsyncTransaction?
      do {
        let container = TransactionContainer(on: loop)
        transaction = container.transaction
      }
      #expect(transaction != nil)
      #expect(loop.runInTime() == .finished)
      #expect(transaction == nil)
    }
  }

  // O7
  @Test("the empty transaction of a cancelled and released container is released without a tick")
  func cancelledContainer() throws {
    try withLoop { loop in
      weak var transaction: AsyncTransaction?
      var isTold = false
      do {
        let container = TransactionContainer(on: loop)
        container.didComplete = { _ in isTold = true }
        transaction = container.transaction
        container.cancelAll()
      }
      #expect(transaction == nil)
      #expect(isTold)
    }
  }

  @Test("cancelAll cancels open and running transactions")  // O6
  func cancelAll() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let container = TransactionContainer(on: loop, scheduler: scheduler)
      var told: [String] = []
      container.transaction.add { _ in
      } completion: {
        told.append("first \($0)")
      }
      loop.run(.noWait)
      container.transaction.add { _ in
      } completion: {
        told.append("second \($0)")
      }
      container.cancelAll()
      #expect(scheduler.metrics.queued == 0)
      #expect(loop.runInTime() == .finished)
      #expect(told == ["first cancelled", "second cancelled"])
      frozen.thaw()
    }
  }

  /// Returns a body that calls `end` when it is released on the loop.
  private func holding(
    _ end: @escaping () -> Void
  ) -> @Sendable (AsyncTransaction.Operation) -> Void {
    let end = Smuggled(end)
    let witness = Witness { end.value() }
    return { _ in witness.touch() }
  }

  @Test("objects released with a container's old callback may read the callback")  // O7
  func replacedCallbacks() async {
    await #expect(processExitsWith: .success) {
      let asked = Tally()
      try withLoop { loop in
        let card = Smuggled(TransactionContainer(on: loop))
        let begin = { Witness { if card.value.willBegin == nil { asked.increment() } } }
        let complete = { Witness { if card.value.didComplete == nil { asked.increment() } } }
        card.value.willBegin = { [witness = begin()] _ in witness.touch() }
        card.value.didComplete = { [witness = complete()] _ in witness.touch() }
        card.value.willBegin = nil
        card.value.didComplete = nil
      }
      #expect(asked.value == 2)
    }
  }
}
