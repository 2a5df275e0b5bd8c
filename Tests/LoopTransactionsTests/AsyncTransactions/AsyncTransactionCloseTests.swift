import LoopTransactions
import TestSupport
import Testing

@Suite("AsyncTransaction: closing its loop")
struct AsyncTransactionCloseTests {
  // L11
  @Test("the last callback of a transaction may close the loop")
  func endingCloses() throws {
    let loop = try EventLoop()
    var didClose = false
    let transaction = AsyncTransaction(on: loop, scheduler: .alone())
    transaction.add { _ in }
    transaction.whenComplete { _ in
      do { try loop.close() } catch { Issue.record(error) }
      didClose = true
    }
    transaction.waitUntilComplete()
    #expect(didClose && transaction.state == .complete)
  }

  // L11
  @Test("closing the loop cancels, waits for running operations, and delivers every outcome")
  func closing() throws {
    let loop = try EventLoop()
    let log = Log()
    let scheduler = OperationScheduler.alone(workers: 1)
    let began = Gate()
    let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
    transaction.add { operation in
      began.open()
      while !operation.isCancelled { TestThread.yield() }
    } completion: {
      log.add("running: \($0)")
    }
    transaction.add { _ in
      log.add("ran")
    } completion: { outcome in
      log.add("waiting: \(outcome)")
      let late = AsyncTransaction(on: loop, scheduler: scheduler)
      late.add { _ in
        log.add("ran")
      } completion: {
        log.add("late: \($0)")
      }
      late.commit()
    }
    let open = AsyncTransaction(on: loop, scheduler: scheduler)
    open.add { _ in
    } completion: {
      log.add("open: \($0)")
    }
    transaction.commit()
    #expect(began.waitInTime())
    try loop.close()
    let told = log.events.filter { $0 != "ran" }
    #expect(
      told == ["running: cancelled", "waiting: cancelled", "open: cancelled", "late: cancelled"]
    )
    #expect(open.state == .complete)
  }

  // L11, O6, O7, O10
  @Test("closing completes grouped, contained, on-commit and single-flight transactions once each")
  func closingWithAllKinds() throws {
    let loop = try EventLoop()
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let log = Log()
    let ran = Tally()
    let grouped = AsyncTransaction(on: loop, name: "grouped", scheduler: scheduler)
    let onCommit = AsyncTransaction(on: loop, name: "start", scheduler: scheduler, start: .onCommit)
    let container = TransactionContainer(on: loop, name: "container", scheduler: scheduler)
    for transaction in [grouped, onCommit, container.transaction] {
      transaction.add { _ in
        ran.increment()
      } completion: {
        log.add("\(transaction.name) \($0)")
      }
      transaction.whenComplete { log.add("\($0.name) ended") }
    }
    loop.transactionGroup.add(grouped)
    container.didComplete = { _ in log.add("container told") }
    let flights = SingleFlight<Int, Int>(on: scheduler)
    let flying = (0..<2).map { number in
      let transaction = AsyncTransaction(on: loop, name: "flight", scheduler: scheduler)
      transaction.add(flights, for: 1) { _ in
        ran.increment()
      } completion: {
        log.add("flight \(number) \($0)")
      }
      return transaction
    }
    flying[0].commit()
    try loop.close()
    let expected = [
      "grouped cancelled", "grouped ended", "start cancelled", "start ended",
      "container cancelled", "container ended", "container told",
      "flight 0 cancelled", "flight 1 cancelled",
    ]
    #expect(log.events.sorted() == expected.sorted())
    #expect(([grouped, onCommit] + flying).allSatisfy { $0.state == .complete })
    #expect(!container.isPending && flights.count == 0)
    frozen.thaw()
    let last = Gate()
    scheduler.add(priority: OperationPriority(-128)) { _ in last.open() }
    #expect(last.waitInTime())
    #expect(ran.value == 0 && log.events.count == expected.count)
  }

  // L11
  @Test(
    "a transaction and its completions are released if the loop is released without close()",
    arguments: [false, true]
  )
  func releasedLoop(isCommittedBefore: Bool) async {
    await #expect(processExitsWith: .success) { [isCommittedBefore] in
      Interposed.forgiveLeaks()
      var loop: EventLoop? = try EventLoop()
      let scheduler = OperationScheduler.alone(workers: 1)
      let (ended, released) = (Gate(), Tally())
      var transaction = loop.map { AsyncTransaction(on: $0, scheduler: scheduler) }
      transaction?.add { _ in
        ended.open()
      } completion: { [witness = Witness { released.increment() }] _ in
        witness.touch()
      }
      if isCommittedBefore { transaction?.commit() }
      #expect(ended.waitInTime())
      loop = nil
      if !isCommittedBefore { transaction?.commit() }
      #expect(released.value == 0)
      transaction = nil
      #expect(released.value == 1)
    }
  }
}
