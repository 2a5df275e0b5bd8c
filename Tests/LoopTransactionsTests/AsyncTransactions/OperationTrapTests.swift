import LoopTransactions
import TestSupport
import Testing

// Each test closes its loops, because an open loop would also trap when it is
// released.
@Suite("Operations: usage errors")
struct OperationTrapTests {
  // O1
  @Test("a worker limit of 0 or less traps")
  func caps() async {
    let made = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = OperationScheduler("none", workerLimit: 0)
    }
    #expect(said(made, "OperationScheduler: workerLimit must be positive, got 0"))
    let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      OperationScheduler.shared.workerLimit = -1
    }
    #expect(said(set, "OperationScheduler: workerLimit must be positive, got -1"))
    let process = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      OperationScheduler.processWorkerLimit = 0
    }
    #expect(said(process, "OperationScheduler: processWorkerLimit must be positive, got 0"))
  }

  // O11
  @Test("a pool with no queues or more than 32, and a negative count, trap")
  func counts() async {
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = SerialQueuePool("none", count: 0)
    }
    #expect(said(none, "SerialQueuePool: count must be from 1 to 32, got 0"))
    let many = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = SerialQueuePool("many", count: 33)
    }
    #expect(said(many, "SerialQueuePool: count must be from 1 to 32, got 33"))
    let apply = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      OperationScheduler.shared.apply(-1) { _ in }
    }
    #expect(said(apply, "OperationScheduler.apply: count must not be negative, got -1"))
  }

  // O6
  @Test("adding after the commit traps")
  func addedLate() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, name: "cards")
        transaction.commit()
        transaction.add { _ in }
      }
    }
    #expect(said(result, "AsyncTransaction.add: cards must be open, but is committed"))
    let flight = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, name: "cards")
        transaction.commit()
        transaction.add(SingleFlight<Int, Int>(), for: 1) { _ in 1 }
      }
    }
    #expect(said(flight, "AsyncTransaction.add: cards must be open, but is committed"))
  }

  // O6
  @Test("committing twice traps")
  func committedTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, name: "cards")
        transaction.commit()
        transaction.commit()
      }
    }
    #expect(said(result, "AsyncTransaction.commit: cards must be open, but is committed"))
  }

  // O6
  @Test("whenComplete on a completed transaction traps")
  func toldLate() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, name: "cards")
        transaction.waitUntilComplete()
        transaction.whenComplete { _ in }
      }
    }
    #expect(said(result, "AsyncTransaction.whenComplete: must be called before cards is complete"))
  }

  // O7
  @Test("adding a committed transaction, or another loop's, to a group traps")
  func grouped() async {
    let late = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, name: "cards")
        transaction.commit()
        loop.transactionGroup.add(transaction)
      }
    }
    #expect(said(late, "TransactionGroup.add: cards must be open, but is committed"))
    let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        try withLoop { other in
          loop.transactionGroup.add(AsyncTransaction(on: other, name: "cards"))
        }
      }
    }
    #expect(said(other, "TransactionGroup.add: cards must belong to the group's loop"))
  }

  // O6
  @Test("cancelling an open transaction traps")
  func cancelledOpen() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withLoop { loop in AsyncTransaction(on: loop, name: "cards").cancel() }
    }
    #expect(said(result, "AsyncTransaction.cancel: cards must be committed before it is cancelled"))
  }

  // O6
  @Test("releasing an open transaction is reported if it has operations")
  func droppedOpen() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withLoop { loop in AsyncTransaction(on: loop, name: "cards").add { _ in } }
    }
    let place = "LoopTransactionsTests/OperationTrapTests.swift:\(#line - 3)"
    let message = "AsyncTransaction cards, created at \(place): released while open; call commit()"
    #expect(said(result, message))
    let empty = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withLoop { loop in _ = AsyncTransaction(on: loop) }
    }
    #expect(!said(empty, "released while open"))
  }

  // O6, O13
  @Test("releasing an open transaction releases its async bodies", arguments: [false, true])
  func droppedAsync(isCancelled: Bool) async {
    await #expect(processExitsWith: .success) { [isCancelled] in
      let (ran, released) = (Tally(), Tally())
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, start: .onCommit)
        let operation = transaction.add { [witness = Witness { released.increment() }] _ in
          await Task.yield()
          witness.touch()
          ran.increment()
        }
        if isCancelled { operation.cancel() }
      }
      #expect(ran.value == 0 && released.value == 1)
    }
  }

  // O9
  @Test("waiting on a worker, or in the transaction's own completion, traps")
  func waiting() async {
    let worker = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Process.endInTime()
      try withLoop { loop in
        let transaction = Smuggled(AsyncTransaction(on: loop, scheduler: .alone()))
        transaction.value.add { _ in transaction.value.waitUntilComplete() }
        transaction.value.commit()
        loop.run()
      }
    }
    #expect(
      said(
        worker,
        "AsyncTransaction.waitUntilComplete: the loop belongs to another thread; use its port"
      )
    )
    let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Process.endInTime()
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, name: "cards", scheduler: .alone())
        transaction.add { _ in
        } completion: { _ in
          transaction.waitUntilComplete()
        }
        transaction.commit()
        loop.run()
      }
    }
    #expect(
      said(own, "AsyncTransaction.waitUntilComplete: must not be called from a completion of cards")
    )
  }

  // O9
  @Test("postAndWait on the loop's own thread traps")
  func onLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Process.endInTime()
      try withLoop { loop in try loop.port.postAndWait {} }
    }
    #expect(said(result, "LoopPort.postAndWait: must not be called on the loop's own thread"))
  }

  @Test("a closure that traps ends the process with its own message")
  func closures() async {
    let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Process.endInTime()
      OperationScheduler.alone().add { _ in fatalError("an operation trapped") }
      Gate().wait()
    }
    #expect(said(plain, "an operation trapped"))
    let queued = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Process.endInTime()
      SerialQueue("test", on: .alone()).add { fatalError("a queue's closure trapped") }
      Gate().wait()
    }
    #expect(said(queued, "a queue's closure trapped"))
    let body = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Process.endInTime()
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, scheduler: .alone())
        transaction.add { _ in fatalError("a transaction's operation trapped") }
        transaction.commit()
        loop.run()
      }
    }
    #expect(said(body, "a transaction's operation trapped"))
    let completion = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      Process.endInTime()
      try withLoop { loop in
        let transaction = AsyncTransaction(on: loop, scheduler: .alone())
        transaction.add { _ in
        } completion: { _ in
          fatalError("a completion trapped")
        }
        transaction.commit()
        loop.run()
      }
    }
    #expect(said(completion, "a completion trapped"))
  }
}
